--TEST--
Recursion in a fiber, deeper than its stack could hold frames of ours, gives the program's result
--EXTENSIONS--
xhprof
--INI--
memory_limit=1G
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function down(int $n) { return $n > 0 ? 1 + down($n - 1) : 1; }
function task() { $result = down(100_000); Fiber::suspend($result); return down(100_000); }
function after() {}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
$fiber = new Fiber('task');
echo $fiber->start(), "\n";
after();
$fiber->resume();
echo $fiber->getReturn(), "\n";
after();
$profile = xhprof_disable();
check_shape($profile);
print_calls(matching($profile, '/^(main|task)/'));
?>
--EXPECT--
100001
100001
task==>down: 2
main()==>after: 2
main()==>task: 1
main(): 1
