--TEST--
Fibers started inside fibers are called by the Fiber::start of their own
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function outer()
{
    $inner = new Fiber('inner');
    $inner->start();
    Fiber::suspend();
    $inner->resume();
    leaf();
}
function inner() { leaf(); Fiber::suspend(); leaf(); }
function leaf() {}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
$outer = new Fiber('outer');
$outer->start();
leaf();
$outer->resume();
print_calls(xhprof_disable());
?>
--EXPECT--
inner==>leaf: 2
main()==>leaf: 1
outer==>inner: 1
outer==>leaf: 1
main()==>outer: 1
main(): 1
