--TEST--
An exception through many levels closes each, and the catcher goes on as itself
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() { try { b(); } catch (LogicException) { leaf(); } leaf(); }
function b() { c(); leaf(); }
function c() { array_map('d', [1, 2]); leaf(); }
function d() { e(); leaf(); }
function e() { throw new LogicException; }
function leaf() {}

xhprof_enable();
a();
a();
print_calls(xhprof_disable());
?>
--EXPECT--
e==>Exception::__construct: 2
d==>e: 2
array_map==>d: 2
c==>array_map: 2
b==>c: 2
a==>b: 2
a==>leaf: 4
main()==>a: 2
main()==>xhprof_disable: 1
main(): 1
