<?php
// `./x sampling`: what sampling says against what is true, and what it costs.
//
// php check.php EXTENSION XHPROF PHP ROUNDS PROGRAM…
//
// Shares are of CPU time, because a busy machine takes wall time away from
// whoever happens to run. Exits with 1 if a function of more than 5 % is off by
// more than two points.

[, $extension, $xhprof, $php, $rounds] = $argv;
$program = array_slice($argv, 5);
$rounds = (int) $rounds;
$directory = sys_get_temp_dir() . '/xhprof-sampling-' . getmypid();
mkdir($directory, 0700);
register_shutdown_function(function () use ($directory) {
    array_map('unlink', glob("$directory/*"));
    rmdir($directory);
});

/** Runs PHP with these settings; gives its CPU time in ms, its output, and how long it took. */
function run(array $settings, array $command): array
{
    global $php, $extension;
    $line = [$php];
    foreach ($settings as $name => $value) {
        array_push($line, '-d', $name === 'extension' ? "extension=$extension" : "xhprof.$name=$value");
    }
    $before = cpu_ms();
    $start = hrtime(true);
    $process = proc_open([...$line, ...$command], [1 => ['pipe', 'w']], $pipes);
    $output = stream_get_contents($pipes[1]);
    proc_close($process);
    return [cpu_ms() - $before, $output, (hrtime(true) - $start) / 1e6];
}

/** User and system time of all that has ended, in milliseconds. */
function cpu_ms(): float
{
    $usage = getrusage(1);
    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1e3
        + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) / 1e3;
}

/** Profiles the command; adds each function's own or whole time to `$times`. */
function profile(array $settings, array $command, string $which, string $cost, array &$times): string
{
    global $directory, $xhprof;
    $settings = ['extension' => 1, 'auto_enable' => 1, 'output_dir' => $directory] + $settings;
    [, $output] = run($settings, $command);
    $files = glob("$directory/*.xhp");
    $report = shell_exec(escapeshellarg($xhprof) . ' report --json --limit 0 ' . escapeshellarg($files[0]));
    array_map('unlink', $files);
    foreach (json_decode($report, true)['functions'] as $function) {
        $name = $function['name'];
        $times[$name] = ($times[$name] ?? 0) + $function[$which][$cost];
    }
    return $output;
}

/** Prints what is far off; gives the largest difference above 5 %. */
function compare(string $what, array $truth, array $sampled): float
{
    $whole = array_sum($sampled);
    $worst = 0.0;
    $lines = '';
    arsort($truth);
    foreach ($truth as $name => $percent) {
        $seen = 100 * ($sampled[$name] ?? 0) / max(1, $whole);
        if (max($percent, $seen) < 5) {
            continue;
        }
        $worst = max($worst, abs($seen - $percent));
        $lines .= sprintf("  %6.2f  %6.2f  %+6.2f  %s\n", $percent, $seen, $seen - $percent, $name);
    }
    printf("%s: off by %.2f points at most\n%s", $what, $worst, $lines);
    return $worst;
}

$sample = ['mode' => 'sample', 'sampling_clock' => 'cpu', 'sampling_interval' => 250];
$worst = 0.0;
echo "percent of the CPU time: true, sampled, difference\n";
$known = __DIR__ . '/known.php';
[, $kinds] = run([], [$known, 'list', '0']);
foreach (explode(' ', trim($kinds)) as $kind) {
    foreach (['execute', 'observer', 'off'] as $engine) {
        $sampled = [];
        $command = [$known, $kind, '2'];
        $output = profile($sample + ['engine' => $engine], $command, 'inclusive', 'wall_ns', $sampled);
        $truth = json_decode($output, true);
        $sampled = array_intersect_key($sampled, $truth);
        $worst = max($worst, compare("$kind, engine $engine", $truth, $sampled));
    }
}

foreach (['auto', 'off'] as $engine) {
    $traced = $sampled = [];
    for ($round = 0; $round < $rounds; $round++) {
        profile(['mode' => 'tree', 'flags' => 'cpu'], $program, 'self', 'cpu_ns', $traced);
        profile($sample + ['engine' => $engine], $program, 'self', 'wall_ns', $sampled);
    }
    $whole = array_sum($traced);
    $truth = array_map(fn ($time) => 100 * $time / $whole, $traced);
    $worst = max($worst, compare("$program[0], engine $engine, against a trace", $truth, $sampled));
}

// A busy machine lets a program take longer than its CPU time, and then there
// are more samples in it than at rest: what they cost goes by the time it took.
echo "\nCPU time of $program[0], in ms: median of $rounds rounds, taken in turn;\n",
    "what is more than loaded, of the time that the program took\n";
$ways = [
    'without the extension' => [],
    'loaded, not profiling' => ['extension' => 1],
    'sampling at 100 Hz' => ['mode' => 'sample', 'sampling_interval' => 10_000],
    'sampling at 1 kHz' => ['mode' => 'sample', 'sampling_interval' => 1_000],
    'sampling at 10 kHz' => ['mode' => 'sample', 'sampling_interval' => 100],
    '100 Hz, engine off' => ['mode' => 'sample', 'sampling_interval' => 10_000, 'engine' => 'off'],
];
$times = $took = [];
for ($round = 0; $round < $rounds; $round++) {
    // Now in this order, now in the other.
    $ways = array_reverse($ways, true);
    foreach ($ways as $name => $settings) {
        if (isset($settings['mode'])) {
            $settings += ['extension' => 1, 'auto_enable' => 1, 'output_dir' => $directory];
        }
        [$times[$name][], , $took[$name][]] = run($settings, $program);
        array_map('unlink', glob("$directory/*.xhp"));
    }
}
$median = function (array $values): float {
    sort($values);
    return $values[intdiv(count($values), 2)];
};
$base = $median($times['loaded, not profiling']);
foreach ($ways as $name => $settings) {
    $values = $times[$name];
    printf("%-24s %7.1f  %+6.2f %%  (%.1f to %.1f)\n", $name, $median($values),
        100 * ($median($values) - $base) / $median($took[$name]), min($values), max($values));
}
exit($worst > 2 ? 1 : 0);
