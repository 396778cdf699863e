--TEST--
A function's callees never take more than the function itself, in any metric that cannot shrink
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function fib(int $n) { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }
function gen(int $n) { while ($n-- > 0) { yield fib(3); } }
function work() { foreach (gen(20) as $x) { array_map('fib', [5, 6]); } }
function task() { work(); Fiber::suspend(); work(); }

xhprof_enable(XHPROF_FLAGS_CPU);
$fibers = [new Fiber('task'), new Fiber('task')];
foreach ($fibers as $fiber) { $fiber->start(); }
work();
foreach ($fibers as $fiber) { $fiber->resume(); }
$profile = xhprof_disable();
check_shape($profile, ['ct', 'wt', 'cpu']);

$total = ['wt' => [], 'cpu' => []];
$inside = ['wt' => [], 'cpu' => []];
foreach ($profile as $edge => $cost) {
    $names = explode('==>', $edge);
    foreach (['wt', 'cpu'] as $metric) {
        $name = end($names);
        $total[$metric][$name] = ($total[$metric][$name] ?? 0) + $cost[$metric];
        if (count($names) === 2) {
            $inside[$metric][$names[0]] = ($inside[$metric][$names[0]] ?? 0) + $cost[$metric];
        }
    }
}
foreach ($inside as $metric => $functions) {
    foreach ($functions as $name => $sum) {
        // Each row is rounded to microseconds on its own.
        if ($sum > $total[$metric][$name] + 20) {
            echo "$name: $metric {$total[$metric][$name]}, its callees $sum\n";
        }
    }
}
echo count($inside['wt']) > 10 ? "compared\n" : "too few rows\n";
?>
--EXPECT--
compared
