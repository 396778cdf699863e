--TEST--
The finally blocks of a destroyed fiber are called by the functions that they are in
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function task() { try { step(); } finally { cleanup(); } }
function step() { try { Fiber::suspend(); leaf(); } finally { cleanup(); } }
function leaf() {}
function cleanup() {}
function work() { $fiber = new Fiber('task'); $fiber->start(); $fiber = null; leaf(); }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
print_calls(xhprof_disable());
?>
--EXPECT--
step==>cleanup: 1
task==>step: 1
task==>cleanup: 1
work==>task: 1
work==>leaf: 1
main()==>work: 1
main(): 1
