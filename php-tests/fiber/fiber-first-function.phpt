--TEST--
A fiber's first function is called by the Fiber::start that started it
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function task() { step(); Fiber::suspend(); step(); }
function step() {}
function other() {}
function work()
{
    $fiber = new Fiber('task');
    $fiber->start();
    other();
    $fiber->resume();
    other();
}

xhprof_enable();
work();
print_calls(xhprof_disable());
?>
--EXPECT--
work==>Fiber::__construct: 1
task==>step: 2
work==>Fiber::start: 1
work==>other: 2
task==>Fiber::suspend: 1
Fiber::start==>task: 1
work==>Fiber::resume: 1
main()==>work: 1
main()==>xhprof_disable: 1
main(): 1
