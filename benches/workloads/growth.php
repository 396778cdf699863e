<?php
// How cost grows: php growth.php WHAT N FLAGS. Prints JSON: calls, CPU time of one
// call, growth of the process, rows of the profile, and truncated rows.
//
//   calls      N calls of one function
//   functions  N functions, all called, again and again
//   depth      N calls inside each other, again and again
//   nodes      N paths: ten functions that call all ten, on as many levels as needed
//
// A million calls at least, and each function and level at least twice. Each path
// exactly twice, so that new ones are the same part of the work at every size.

require __DIR__ . '/profiler.php';

[, $what, $n, $flags] = $argv;
$n = (int) $n;
$least = (int) ($argv[4] ?? 1_000_000);

function nothing() {}
function down($n) { if ($n > 1) down($n - 1); }

/** Makes functions tree0, tree1, … that call all of each other, $below levels deep. */
function tree_functions(): void
{
    $code = '';
    for ($i = 0; $i < 10; $i++) {
        $code .= "function tree$i(\$below) { if (\$below > 0) {";
        for ($k = 0; $k < 10; $k++) $code .= "tree$k(\$below - 1);";
        $code .= "}}\n";
    }
    eval($code);
}

/** @return Closure(): int that returns how many calls it made */
function work_of(string $what, int $n): Closure
{
    switch ($what) {
        case 'calls':
            return static function () use ($n) {
                for ($i = 0; $i < $n; $i++) nothing();
                return $n;
            };
        case 'functions':
            $code = '';
            for ($i = 0; $i < $n; $i++) $code .= "function many$i() {}\n";
            eval($code);
            $calls = '';
            // Calls by name in the code, as programs make them; a function of at
            // most a thousand of them.
            for ($i = 0; $i < $n; $i += 1000) {
                $calls .= "function block$i() {";
                for ($k = $i; $k < min($n, $i + 1000); $k++) $calls .= "many$k();";
                $calls .= "}\n";
            }
            eval($calls);
            return static function () use ($n) {
                for ($i = 0; $i < $n; $i += 1000) ("block$i")();
                return $n + intdiv($n + 999, 1000);
            };
        case 'depth':
            return static function () use ($n) {
                down($n);
                return $n;
            };
        case 'nodes':
            tree_functions();
            // The number of levels, so that one branch fewer would be too few.
            $levels = 0;
            for ($below = 1; $below * 10 + 1 <= $n; $below = $below * 10 + 1) $levels++;
            $branches = max(1, min(10, intdiv($n, $below)));
            return static function () use ($levels, $branches, $below) {
                for ($i = 0; $i < $branches; $i++) ("tree$i")($levels);
                return $branches * $below;
            };
    }
}

$work = work_of($what, $n);
// If the whole request is profiled, warming up would be part of the profile.
if (!ini_get('xhprof.auto_enable')) $work();
$rounds = match ($what) { 'calls' => 1, 'nodes' => 2, default => max(2, intdiv($least, $n)) };
$profiler = $flags === 'off' ? null : profiler();
$before = resident_bytes();
if ($profiler) profile_begin($profiler, $flags);
$made = 0;
$start = cpu_ns();
for ($i = 0; $i < $rounds; $i++) $made += $work();
$spent = cpu_ns() - $start;
$grown = resident_bytes() - $before;
$profile = $profiler ? profile_end($profiler) : [];
$truncated = array_filter($profile, fn ($edge) => str_contains($edge, '[truncated]'), ARRAY_FILTER_USE_KEY);
echo json_encode([
    'calls' => $made,
    'ns' => $spent / $made,
    'grown_bytes' => $grown,
    'rows' => count($profile),
    'truncated_rows' => count($truncated),
    'truncated_calls' => array_sum(array_column($truncated, 'ct')),
]), "\n";
