--TEST--
A fiber that is destroyed before it ended leaves the others' callers right
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function task() { step(); }
function step() { leaf(); Fiber::suspend(); leaf(); }
function leaf() {}
function work()
{
    $never = new Fiber('task');
    $never = null;
    $fiber = new Fiber('task');
    $fiber->start();
    leaf();
    $fiber = null;
    leaf();
}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
print_calls(xhprof_disable());
?>
--EXPECT--
step==>leaf: 1
work==>leaf: 2
task==>step: 1
work==>task: 1
main()==>work: 1
main(): 1
