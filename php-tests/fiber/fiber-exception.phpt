--TEST--
An exception that leaves a fiber closes its calls and arrives at the resumer
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function task() { step(); }
function step() { Fiber::suspend(); throw new Exception('out'); }
function catches() { try { Fiber::suspend(); } catch (Exception) { leaf(); } leaf(); }
function leaf() {}
function work()
{
    $fiber = new Fiber('task');
    $fiber->start();
    try { $fiber->resume(); } catch (Exception $e) { leaf(); }
    $fiber = new Fiber('catches');
    $fiber->start();
    $fiber->throw(new Exception('in'));
    leaf();
}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
print_calls(xhprof_disable());
?>
--EXPECT--
task==>step: 1
work==>task: 1
work==>leaf: 2
catches==>leaf: 2
work==>catches: 1
main()==>work: 1
main(): 1
