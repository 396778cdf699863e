<?php
// The cost of one call: php calls.php WORKLOAD CALLS [FLAGS [exactly]]. FLAGS is off,
// or any of wall, cpu, memory joined by a comma. Prints the CPU time of one call in
// nanoseconds, with the loop around it, which is the same for all variants. Then
// prints `quiet`, or `disturbed` if the machine was never quiet during a piece.
// With `exactly` it makes exactly this many calls, and a fiftieth more to warm up, and
// prints nothing: for counting instructions.
//
// The calls are made in pieces, until enough pieces were undisturbed (quiet.php).
// once.php measures what happens once, such as a new row of a table.

require __DIR__ . '/profiler.php';
require __DIR__ . '/quiet.php';

const PIECE_NS = 400_000;

function nothing() {}

function outer()
{
    nothing();
}

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
    'nested' => function ($calls) {
        for ($made = 0; $made < $calls; $made += 2) outer();
        return $made;
    },
    'recursion' => function ($calls) {
        for ($made = 0; $made < $calls; $made += 5167) fib(17);
        return $made;
    },
    'deep' => function ($calls) {
        for ($made = 0; $made < $calls; $made += 10001) down(10000);
        return $made;
    },
    'wide' => function ($calls) {
        for ($made = 0; $made < $calls; $made += 9841) wide(8);
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

/** Names of $count functions that are compiled once. */
function compiled($prefix, $count, $body)
{
    static $names = [];
    if (isset($names[$prefix])) return $names[$prefix];
    $code = '';
    for ($i = 0; $i < $count; $i++) {
        $code .= "function $prefix$i(\$d = 0) {" . $body($i) . "}\n";
        $names[$prefix][] = "$prefix$i";
    }
    eval($code);
    return $names[$prefix];
}

[, $workload, $calls] = $argv;
$flags = $argv[3] ?? 'off';
$run = $workloads[$workload];
$profiler = $flags === 'off' ? null : profiler();

if ($profiler) profile_begin($profiler, $flags);
if (($argv[4] ?? '') === 'exactly') {
    $run((int) ($calls / 50));
    $run((int) $calls);
    if ($profiler) profile_end($profiler);
    exit;
}
// Compiles, and fills caches. After the profile has begun, because some profilers
// never see a function that was called before.
$run((int) ($calls / 10));
$start = cpu_ns();
$made = $run((int) ($calls / 10));
// Short enough to be undisturbed sometimes, and long for a clock of microseconds.
$each = (int) max(1, min($calls, $made * PIECE_NS / max(1, cpu_ns() - $start)));
$piece = static function () use ($run, $each): float {
    $start = cpu_ns();
    $made = $run($each);
    return (cpu_ns() - $start) / $made;
};
[$cost, $is_quiet] = undisturbed($piece, 9, $calls / 1e6);
if ($profiler) profile_end($profiler);
printf("%.3f %s\n", $cost, $is_quiet ? 'quiet' : 'disturbed');
