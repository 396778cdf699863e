--TEST--
A single name as a string is a list of one
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() { b(); }
function b() { c(); }
function c() {}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS, ['ignored_functions' => 'b']);
a();
print_calls(xhprof_disable());
?>
--EXPECT--
a==>c: 1
main()==>a: 1
main(): 1
