--TEST--
A list of ignored functions with wrong values warns once for each, and the rest is used
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() { b(); }
function b() { c(); }
function c() {}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS, ['ignored_functions' => [null, 'b', 7, ['c'], new stdClass]]);
a();
print_calls(xhprof_disable());
?>
--EXPECTF--
Warning: xhprof_enable(): %s in %s on line %d

Warning: xhprof_enable(): %s in %s on line %d

Warning: xhprof_enable(): %s in %s on line %d

Warning: xhprof_enable(): %s in %s on line %d
a==>c: 1
main()==>a: 1
main(): 1
