--TEST--
A fiber that is suspended at disable is closed in the array, and goes on unrecorded
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function task() { step(); step(); }
function step() { leaf(); Fiber::suspend(); leaf(); echo "step\n"; }
function leaf() {}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
$fiber = new Fiber('task');
$fiber->start();
leaf();
$profile = xhprof_disable();
$fiber->resume();
print_calls($profile);
$fiber->resume();
print_calls(xhprof_disable());
?>
--EXPECT--
step
step==>leaf: 1
main()==>leaf: 1
task==>step: 1
main()==>task: 1
main(): 1
step
no profile
