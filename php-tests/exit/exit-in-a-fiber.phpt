--TEST--
exit() inside a fiber closes its functions, and shutdown code runs under main()
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function task() { leaf(); Fiber::suspend(); deeper(); }
function deeper() { leaf(); exit; }
function work() { $fiber = new Fiber('task'); $fiber->start(); leaf(); $fiber->resume(); leaf(); }
function leaf() {}
function ending() { leaf(); print_calls(matching(xhprof_disable(), '/^(?!.*==>exit$)/')); }

register_shutdown_function('ending');
xhprof_enable();
work();
?>
--EXPECT--
work==>Fiber::__construct: 1
task==>leaf: 1
work==>Fiber::start: 1
work==>leaf: 1
task==>Fiber::suspend: 1
deeper==>leaf: 1
task==>deeper: 1
Fiber::start==>task: 1
work==>Fiber::resume: 1
main()==>work: 1
ending==>leaf: 1
ending==>xhprof_disable: 1
main()==>ending: 1
main(): 1
