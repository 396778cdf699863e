--TEST--
A profile that ends inside functions closes those that are open, innermost first
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() { return b(); }
function b() { leaf(); return c(); }
function c() { leaf(); return xhprof_disable(); }
function leaf() {}

xhprof_enable();
$profile = a();
leaf();
print_calls($profile);
?>
--EXPECT--
b==>leaf: 1
c==>leaf: 1
c==>xhprof_disable: 1
b==>c: 1
a==>b: 1
main()==>a: 1
main(): 1
