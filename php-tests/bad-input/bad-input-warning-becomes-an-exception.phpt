--TEST--
An error handler that throws on a warning stops enable without harm
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() {}

set_error_handler(function ($level, $message) { throw new ErrorException($message); });
try {
    xhprof_enable(0, ['ignored_functions' => [7]]);
} catch (ErrorException $error) {
    echo get_class($error), "\n";
}
restore_error_handler();
xhprof_disable();

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
a();
print_calls(xhprof_disable());
?>
--EXPECT--
ErrorException
main()==>a: 1
main(): 1
