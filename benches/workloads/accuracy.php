<?php
// A program with known shares: php accuracy.php FLAGS TEN TWENTY SEVENTY
//
// Each of the three arguments is the size of a part: `few:N`, N steps of work in long
// calls, ten a turn, or `many:N`, the same work in N tiny calls, one step each. Prints
// JSON: with FLAGS `off` the CPU time of each part in ns, else the profile's time of
// each part in µs; and the share of time in which the process waited for a processor.
// The parts take turns, so a machine that is slower for a while affects all of them.
//
// php accuracy.php calibrate: ns of a step, both ways.

require __DIR__ . '/profiler.php';

function tiny($x) { return ($x * 1103515245 + 12345) & 0x7fffffff; }
function long($x, $n) { for ($i = 0; $i < $n; $i++) $x = ($x * 1103515245 + 12345) & 0x7fffffff; return $x; }

function work(string $size): int
{
    [$how, $n] = explode(':', $size);
    $n = (int) $n;
    $x = 1;
    if ($how === 'many') {
        for ($i = 0; $i < $n; $i++) $x = tiny($x);
    } else {
        for ($i = 0; $i < 10; $i++) $x = long($x, intdiv($n, 10));
    }
    return $x;
}

const TURNS = 20;

function ten(string $size): int { return work($size); }
function twenty(string $size): int { return work($size); }
function seventy(string $size): int { return work($size); }

if ($argv[1] === 'calibrate') {
    foreach (['many', 'few'] as $how) {
        $costs = [];
        for ($i = 0; $i < 9; $i++) {
            $start = cpu_ns();
            work("$how:200000");
            $costs[] = (cpu_ns() - $start) / 200000;
        }
        sort($costs);
        $steps[$how] = $costs[4];
    }
    echo json_encode($steps), "\n";
    exit;
}

[, $flags, $ten, $twenty, $seventy] = $argv;
$parts = ['ten' => $ten, 'twenty' => $twenty, 'seventy' => $seventy];
$profiler = $flags === 'off' ? null : profiler();
if ($profiler) profile_begin($profiler, $flags);
$began = ['wall' => hrtime(true), 'cpu' => cpu_ns()];
$spent = array_fill_keys(array_keys($parts), 0);
for ($turn = 0; $turn < TURNS; $turn++) {
    foreach ($parts as $part => $size) {
        [$how, $steps] = explode(':', $size);
        $start = cpu_ns();
        $part("$how:" . max(10, intdiv((int) $steps, TURNS)));
        $spent[$part] += cpu_ns() - $start;
    }
}
// Wall time is comparable only if the thread had its processor all the time.
$waited = 1 - (cpu_ns() - $began['cpu']) / (hrtime(true) - $began['wall']);
$said = [];
if ($profiler) {
    $profile = profile_end($profiler);
    foreach (['wt', 'cpu'] as $cost) {
        // Tideways' first level has no caller on PHP 8.2.
        foreach ($parts as $part => $_) $said[$cost][$part] = ($profile["main()==>$part"] ?? $profile[$part] ?? [])[$cost] ?? null;
    }
}
echo json_encode(['spent_ns' => $spent, 'said' => $said, 'waited' => $waited]), "\n";
