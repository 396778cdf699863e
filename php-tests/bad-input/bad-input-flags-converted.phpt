--TEST--
Flags are converted by PHP's rules: strictly only where a file asks for it
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() {}

foreach (['1', 1.0, true] as $flags) {
    xhprof_enable($flags);
    a();
    print_calls(xhprof_disable());
}
try {
    eval('declare(strict_types=1); xhprof_enable("1");');
} catch (TypeError $error) {
    echo $error->getMessage(), "\n";
}
var_dump(xhprof_disable());
?>
--EXPECT--
main()==>a: 1
main(): 1
main()==>a: 1
main(): 1
main()==>a: 1
main(): 1
xhprof_enable(): Argument #1 ($flags) must be of type int, string given
NULL
