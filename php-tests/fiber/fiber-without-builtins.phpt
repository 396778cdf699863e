--TEST--
With NO_BUILTINS a fiber's first function is called by the function that started it
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function task() { step(); Fiber::suspend(); step(); }
function step() {}
function work() { $fiber = new Fiber('task'); $fiber->start(); resume($fiber); }
function resume(Fiber $fiber) { $fiber->resume(); }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
print_calls(xhprof_disable());
?>
--EXPECT--
task==>step: 2
work==>task: 1
work==>resume: 1
main()==>work: 1
main(): 1
