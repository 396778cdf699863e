<?php
// What one call costs: php calls.php WORKLOAD CALLS [FLAGS], FLAGS being off or
// any of wall, cpu, memory joined by a comma. Prints the CPU time of one call
// in nanoseconds, the loop around it included: it is the same for everybody.

function nothing() {}

class Thing
{
    public function method() {}
    public static function of() {}
}

function fib($n)
{
    return $n < 2 ? $n : fib($n - 1) + fib($n - 2);
}

function down($n)
{
    return $n === 0 ? 0 : 1 + down($n - 1);
}

function wide($n)
{
    if ($n > 0) {
        wide($n - 1);
        wide($n - 1);
        wide($n - 1);
    }
}

// Each takes a number of calls and returns how many it made.
$workloads = [
    'user' => function ($calls) {
        for ($i = 0; $i < $calls; $i++) nothing();
        return $calls;
    },
    'method' => function ($calls) {
        $thing = new Thing;
        for ($i = 0; $i < $calls; $i++) $thing->method();
        return $calls;
    },
    'static' => function ($calls) {
        for ($i = 0; $i < $calls; $i++) Thing::of();
        return $calls;
    },
    'closure' => function ($calls) {
        $closure = function () {};
        for ($i = 0; $i < $calls; $i++) $closure();
        return $calls;
    },
    'internal' => function ($calls) {
        for ($i = 0; $i < $calls; $i++) abs($i);
        return $calls;
    },
    'recursion' => function ($calls) {
        for ($made = 0; $made < $calls; $made += 242785) fib(25);
        return $made;
    },
    'deep' => function ($calls) {
        for ($made = 0; $made < $calls; $made += 10001) down(10000);
        return $made;
    },
    'wide' => function ($calls) {
        for ($made = 0; $made < $calls; $made += 265720) wide(11);
        return $made;
    },
    // One callee whose caller changes from call to call, among a thousand.
    'parents' => function ($calls) {
        $parents = compiled('parent', 1000, fn($i) => 'nothing();');
        for ($made = 0; $made < $calls;) {
            foreach ($parents as $parent) $parent();
            $made += 2000;
        }
        return $made;
    },
    // One caller with ten thousand callees.
    'children' => function ($calls) {
        $children = compiled('child', 10000, fn($i) => '');
        for ($made = 0; $made < $calls; $made += 10000) {
            foreach ($children as $child) $child();
        }
        return $made;
    },
    // 2,000 functions that call 20 others each: 40,000 edges.
    'edges' => function ($calls) {
        $functions = compiled('node', 2000, function ($i) {
            $body = 'if ($d > 0) {';
            for ($k = 1; $k <= 20; $k++) $body .= 'node' . ($i * 7 + $k * 97) % 2000 . '($d - 1);';
            return $body . '}';
        });
        for ($made = 0; $made < $calls;) {
            foreach ($functions as $function) $function(1);
            $made += 42000;
        }
        return $made;
    },
];

function compiled($prefix, $count, $body)
{
    $code = '';
    $names = [];
    for ($i = 0; $i < $count; $i++) {
        $code .= "function $prefix$i(\$d = 0) {" . $body($i) . "}\n";
        $names[] = "$prefix$i";
    }
    eval($code);
    return $names;
}

function cpu_ns()
{
    $u = getrusage();
    return ($u['ru_utime.tv_sec'] + $u['ru_stime.tv_sec']) * 1e9
        + ($u['ru_utime.tv_usec'] + $u['ru_stime.tv_usec']) * 1e3;
}

[, $workload, $calls] = $argv;
$flags = $argv[3] ?? 'off';
$run = $workloads[$workload];
$profiler = null;
foreach (['floor', 'tideways_xhprof', 'xhprof'] as $name) {
    if (function_exists("{$name}_enable")) $profiler = $name;
}
$bits = 0;
if (str_contains($flags, 'cpu')) $bits |= $profiler === 'tideways_xhprof' ? 1 : 2;
if (str_contains($flags, 'memory')) $bits |= $profiler === 'tideways_xhprof' ? 6 : 4;

$run((int) ($calls / 50));  // compiles, fills caches
if ($flags !== 'off' && $profiler) {
    ($profiler . '_enable')(...($profiler === 'floor' ? [] : [$bits]));
}
$start = cpu_ns();
$made = $run((int) $calls);
$spent = cpu_ns() - $start;
if ($flags !== 'off' && $profiler) ($profiler . '_disable')();
printf("%.3f\n", $spent / $made);
