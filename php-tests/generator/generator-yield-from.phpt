--TEST--
With yield from, each resume is a call of the generator that really runs
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function inner() { a(); yield 1; a(); yield 2; a(); }
function outer() { b(); yield from inner(); b(); yield 3; b(); }
function a() {}
function b() {}
function consume() { foreach (outer() as $n); }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
consume();
print_calls(xhprof_disable());
?>
--EXPECT--
outer==>b: 3
consume==>outer: 3
inner==>a: 3
consume==>inner: 3
main()==>consume: 1
main(): 1
