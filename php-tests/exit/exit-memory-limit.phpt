--TEST--
After the memory limit in nested functions a shutdown function gets a right array
--EXTENSIONS--
xhprof
--INI--
display_errors=0
memory_limit=16M
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() { b(); }
function b() { leaf(); array_map('grow', [1]); }
function grow() { $kept = []; while (true) { $kept[] = str_repeat('x', 100_000); } }
function leaf() {}
function ending() { leaf(); inner(); print_calls(matching(xhprof_disable(), '/^(?!grow==>str_repeat)/')); }
function inner() { leaf(); }

register_shutdown_function('ending');
xhprof_enable(XHPROF_FLAGS_MEMORY);
a();
?>
--EXPECT--
b==>leaf: 1
array_map==>grow: 1
b==>array_map: 1
a==>b: 1
main()==>a: 1
ending==>leaf: 1
inner==>leaf: 1
ending==>inner: 1
ending==>xhprof_disable: 1
main()==>ending: 1
main(): 1
