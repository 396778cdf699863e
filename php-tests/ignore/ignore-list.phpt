--TEST--
Ignored functions have no row, and their callees are called by the nearest kept frame
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() { b(); }
function b() { c(); array_sum([1]); }
function c() { d(); d(); }
function d() { return array_product([2]); }

xhprof_enable(0, ['ignored_functions' => ['b', 'c']]);
a();
b();
print_calls(xhprof_disable());
?>
--EXPECT--
d==>array_product: 4
a==>d: 2
a==>array_sum: 1
main()==>a: 1
main()==>d: 2
main()==>array_sum: 1
main()==>xhprof_disable: 1
main(): 1
