--TEST--
An error handler that lets the list of ignored functions go does no harm: it has been read by then
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function one() {}
function two() {}
function three() {}

// Created at run time, so that there is no other reference to it.
$list = array_merge(['one', 1], ['two', 2]);
set_error_handler(function (int $level, string $message) use (&$list) {
    echo $message, "\n";
    $list = null;
    // Where the list was, most likely.
    $GLOBALS['another'] = array_merge(['three', 'three'], ['three', 'three']);
});
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS, ['ignored_functions' => &$list]);
one();
two();
three();
print_calls(xhprof_disable());
?>
--EXPECT--
xhprof_enable(): option "ignored_functions" must hold functions' names; a value of type int is skipped
xhprof_enable(): option "ignored_functions" must hold functions' names; a value of type int is skipped
main()==>three: 1
main(): 1
