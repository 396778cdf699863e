--TEST--
A fiber in which the profile began keeps its calls when it is destroyed unfinished
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function first() { xhprof_enable(XHPROF_FLAGS_NO_BUILTINS); outer(); }
function outer() { inner(); leaf(); }
function inner() { leaf(); Fiber::suspend(); }
function leaf() {}

$fiber = new Fiber('first');
$fiber->start();
leaf();
unset($fiber);
leaf();
$profile = xhprof_disable();
check_shape($profile);
print_calls($profile);
?>
--EXPECT--
inner==>leaf: 1
main()==>leaf: 2
outer==>inner: 1
main()==>outer: 1
main(): 1
