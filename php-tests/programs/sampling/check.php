<?php

// `./x sampling`: compares sampled shares with the true shares. `./x bench sampling`
// measures the cost.
//
// php check.php EXTENSION XHPROF PHP ROUNDS PROGRAM…
//
// Shares are of CPU time, because on a busy machine any function can lose wall time.
// Exits with 1 if a function of more
// than 5 % is off by more than two points, else with 0.

[, $extension, $xhprof, $php, $rounds] = $argv;
$program = array_slice($argv, 5);
$rounds = (int) $rounds;
$directory = sys_get_temp_dir() . '/xhprof-sampling-' . getmypid();
mkdir($directory, 0700);
register_shutdown_function(function () use ($directory) {
    array_map('unlink', glob("$directory/*"));
    rmdir($directory);
});

/** Runs PHP with these settings; returns its output. */
function run(array $settings, array $command): string
{
    global $php, $extension;
    $line = [$php];
    foreach ($settings as $name => $value) {
        array_push($line, '-d', $name === 'extension' ? "extension=$extension" : "xhprof.$name=$value");
    }
    $process = proc_open([...$line, ...$command], [1 => ['pipe', 'w']], $pipes);
    $output = stream_get_contents($pipes[1]);
    proc_close($process);
    return $output;
}

/** Profiles the command; returns its output and the program's report. */
function profile(array $settings, array $command, string $how): array
{
    global $directory, $xhprof;
    $settings = ['extension' => 1, 'auto_enable' => 1, 'output_dir' => $directory] + $settings;
    $output = run($settings, $command);
    $files = glob("$directory/*.xhp");
    $said = shell_exec(escapeshellarg($xhprof) . " $how " . escapeshellarg($files[0]));
    array_map('unlink', $files);
    return [$output, $said];
}

/** Inclusive times by function, from a report. */
function whole_times(string $report): array
{
    $functions = json_decode($report, true)['functions'];
    return array_combine(array_column($functions, 'name'), array_map(fn ($it) => $it['inclusive']['wall_ns'], $functions));
}

/** Adds up each function's self time from collapsed stacks. Optionally, compiling or running a file is part of its caller. */
function add_own_times(string $stacks, bool $files_are_callers, array &$times): void
{
    foreach (explode("\n", trim($stacks)) as $line) {
        $space = strrpos($line, ' ');
        $stack = explode(';', substr($line, 0, $space));
        if ($files_are_callers) {
            $stack = preg_grep('/^(load|run_init)::/', $stack, PREG_GREP_INVERT);
        }
        $name = end($stack);
        $times[$name] = ($times[$name] ?? 0) + (int) substr($line, $space + 1);
    }
}

/** Prints large differences; returns the largest of functions above 5 %. */
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
$kinds = run([], [$known, 'list', '0']);
foreach (explode(' ', trim($kinds)) as $kind) {
    foreach (['execute', 'observer', 'off'] as $engine) {
        [$output, $report] = profile($sample + ['engine' => $engine], [$known, $kind, '2'], 'report --json --limit 0');
        $truth = json_decode($output, true);
        $sampled = array_intersect_key(whole_times($report), $truth);
        $worst = max($worst, compare("$kind, engine $engine", $truth, $sampled));
    }
}

// A real program: an engine must not change the shares. Without one, sampling does not
// see when a file is compiled: `load::…` is then part of the including function.
$times = ['off' => [], 'auto' => []];
for ($round = 0; $round < $rounds; $round++) {
    foreach (array_keys($times) as $engine) {
        [, $stacks] = profile($sample + ['engine' => $engine], $program, 'convert --to collapsed -o -');
        add_own_times($stacks, true, $times[$engine]);
    }
}
$whole = array_sum($times['off']);
$truth = array_map(fn ($time) => 100 * $time / $whole, $times['off']);
$worst = max($worst, compare("$program[0], engine auto, against engine off", $truth, $times['auto']));
exit($worst > 2 ? 1 : 0);
