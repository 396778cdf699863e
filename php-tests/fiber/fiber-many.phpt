--TEST--
Ten thousand fibers, a hundred in flight at a time, are each recorded once
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function task(int $n) { step($n); Fiber::suspend(); step($n); }
function step(int $n) { if ($n % 3 === 0) { Fiber::suspend(); } leaf(); }
function leaf() {}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS | XHPROF_FLAGS_CPU);
for ($round = 0; $round < 100; $round++) {
    $fibers = [];
    for ($i = 0; $i < 100; $i++) {
        $fibers[$i] = new Fiber('task');
        $fibers[$i]->start($i);
    }
    while ($fibers) {
        foreach ($fibers as $i => $fiber) {
            $fiber->isTerminated() ? (function () use (&$fibers, $i) { unset($fibers[$i]); })() : $fiber->resume();
        }
    }
}
$profile = xhprof_disable();
check_shape($profile, ['ct', 'wt', 'cpu']);
print_calls(matching($profile, '/^(?!.*closure)/'));
?>
--EXPECT--
step==>leaf: 20000
task==>step: 20000
main()==>task: 10000
main(): 1
