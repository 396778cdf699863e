<?php
// The costs of a profile that do not depend on the calls: php once.php EDGES FUNCTIONS FLAGS WARM
//
// EDGES: the number of calls, each with another caller and callee.
// FUNCTIONS: `few`, 100 callers that all call the same; `many`, a callee an edge.
// WARM: `off` makes the calls once before any profile. `on` makes them in a profile
// that is discarded, for profilers that only see functions on their first call.
//
// Prints JSON: wall time of the first enable() and of later ones; CPU time of
// disable(), with the yardstick's time beside it as a multiple of its best; memory of
// the recorded data and of the array.

require __DIR__ . '/profiler.php';
require __DIR__ . '/quiet.php';

[, $edges, $functions, $flags, $warm] = $argv;
$each = max(1, intdiv((int) $edges, 100) - 1);
$code = '';
for ($i = 0; $i < 100; $i++) {
    $callees = $functions === 'few' ? 'callee' : "callee{$i}_";
    for ($k = 0; $k < $each && ($functions === 'many' || $i === 0); $k++) $code .= "function $callees$k() {}\n";
    $code .= "function caller$i() {";
    for ($k = 0; $k < $each; $k++) $code .= "$callees$k();";
    $code .= "}\n";
}
eval($code);

function work(): void
{
    for ($i = 0; $i < 100; $i++) ("caller$i")();
}

function enable_us(string $profiler, string $flags): float
{
    $start = hrtime(true);
    profile_begin($profiler, $flags);
    return (hrtime(true) - $start) / 1000;
}

$profiler = profiler();
$first = enable_us($profiler, $flags);
if ($warm === 'on') work();
profile_end($profiler);
if ($warm === 'off') work();
$later = [];
for ($i = 0; $i < 101; $i++) {
    $later[] = enable_us($profiler, $flags);
    profile_end($profiler);
}
sort($later);

$before = resident_bytes();
$php = memory_get_usage();
profile_begin($profiler, $flags);
work();
$recorded = resident_bytes() - $before;
// The first of three runs with cold caches.
$now = static fn() => min(yardstick(), yardstick(), yardstick());
$before_it = $now();
$start = cpu_ns();
$profile = profile_end($profiler);
$disable_ms = (cpu_ns() - $start) / 1e6;
$disturbance = max($before_it, $now()) / ((int) getenv('BENCH_YARDSTICK') ?: yardstick_at_best(0.05));
echo json_encode([
    'edges' => count($profile),
    'first_enable_us' => $first,
    'later_enable_us' => $later[50],
    'disable_ms' => $disable_ms,
    'disturbance' => $disturbance,
    'recorded_bytes' => $recorded,
    'array_bytes' => memory_get_usage() - $php,
]), "\n";
