--TEST--
A fiber that was suspended in one profile and resumed in the next pops nothing there
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function task() { step(); leaf(); }
function step() { leaf(); Fiber::suspend(); leaf(); Fiber::suspend(); leaf(); }
function leaf() {}
function resume(Fiber $fiber) { $fiber->resume(); leaf(); }

$fiber = new Fiber('task');
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
$fiber->start();
print_calls(xhprof_disable());

echo "\n";
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
resume($fiber);
print_calls(xhprof_disable());

echo "\n";
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
resume($fiber);
leaf();
print_calls(xhprof_disable());
?>
--EXPECT--
step==>leaf: 1
task==>step: 1
main()==>task: 1
main(): 1

main()==>leaf: 1
resume==>leaf: 1
main()==>resume: 1
main(): 1

main()==>leaf: 3
resume==>leaf: 1
main()==>resume: 1
main(): 1
