--TEST--
Ignored functions in fibers hand their callees to the nearest kept frame of the fiber
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function task() { step(); }
function step() { leaf(); Fiber::suspend(); leaf(); }
function leaf() {}
function work() { $fiber = new Fiber('task'); $fiber->start(); leaf(); $fiber->resume(); }

xhprof_enable(0, ['ignored_functions' => ['step', 'Fiber::suspend', 'Fiber::resume', 'Fiber::__construct']]);
work();
print_calls(xhprof_disable());

xhprof_enable(0, ['ignored_functions' => ['task', 'Fiber::start', 'Fiber::suspend', 'Fiber::resume', 'Fiber::__construct']]);
work();
print_calls(xhprof_disable());
?>
--EXPECT--
task==>leaf: 2
work==>Fiber::start: 1
work==>leaf: 1
Fiber::start==>task: 1
main()==>work: 1
main()==>xhprof_disable: 1
main(): 1
step==>leaf: 2
work==>leaf: 1
work==>step: 1
main()==>work: 1
main()==>xhprof_disable: 1
main(): 1
