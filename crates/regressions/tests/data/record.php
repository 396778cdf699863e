<?php

/**
 * Records real runs for the replayed noise of `./x regressions-bench`.
 *
 *   php -d extension=…/libxhprof.so record.php STANDARD RUNS OUT
 *
 * One run is PHP_CodeSniffer with one coding standard on one source file. The load of the machine changes between blocks
 * of runs: 0 no load of our own, 1 one busy process, 2 two busy processes, 3 two processes that also read much memory.
 *
 * OUT, all numbers little-endian: u16 functions, u16 edges, u16 runs; the names of the functions, then those of the edges,
 * each followed by a line feed; for each run a byte of load, then for each function u16: 0 if it was not called, else
 * 1 + 1000 ln(1 + self microseconds), then for each edge two u16: calls of the caller, calls of the edge.
 */

const FUNCTIONS = 200;
const EDGES = 40;
const BLOCK = 12;

[, $standard, $runs, $out] = $argv;
require '/usr/share/php/PHP/CodeSniffer/autoload.php';
require '/usr/share/php/PHP/CodeSniffer/src/Util/Tokens.php';
define('PHP_CODESNIFFER_CBF', false);
define('PHP_CODESNIFFER_VERBOSITY', 0);
mt_srand(crc32($standard));

$runner = new PHP_CodeSniffer\Runner();
$runner->config = new PHP_CodeSniffer\Config(["--standard=$standard", '-q', '--no-cache', '/usr/share/php/PHP']);
$runner->config->cache = false;
$runner->init();

$files = [];
foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator('/usr/share/php', FilesystemIterator::SKIP_DOTS)) as $file) {
    if ($file->getExtension() === 'php' && $file->getSize() > 1500 && $file->getSize() < 4500) {
        $files[] = $file->getPathname();
    }
}
sort($files);

/** @return resource[] */
function load(int $level): array
{
    $code = [
        '$until = time() + 120; while (time() < $until) { for ($i = 0; $i < 1e5; $i++); }',
        '$until = time() + 120; $a = range(0, 2000000); while (time() < $until) { for ($i = 0, $j = 0; $i < 2e5; $i++) { $j = ($j + 7919) % 2000000; $a[$j]++; } }',
    ][(int) ($level === 3)];
    $processes = [];
    for ($i = 0; $i < min($level, 2); $i++) {
        $processes[] = proc_open([PHP_BINARY, '-n', '-d', 'memory_limit=1G', '-r', $code], [], $pipes);
    }
    return $processes;
}

function check(PHP_CodeSniffer\Runner $runner, string $path): void
{
    $file = new PHP_CodeSniffer\Files\LocalFile($path, $runner->ruleset, $runner->config);
    $file->process();
    $file->cleanUp();
}

// Fills PHP's caches.
for ($i = 0; $i < 10; $i++) {
    check($runner, $files[mt_rand(0, count($files) - 1)]);
}
$recorded = [];
while (count($recorded) < $runs) {
    $level = mt_rand(0, 3);
    $processes = load($level);
    usleep(100_000);
    for ($i = 0; $i < BLOCK && count($recorded) < $runs; $i++) {
        $path = $files[mt_rand(0, count($files) - 1)];
        xhprof_enable();
        check($runner, $path);
        $recorded[] = [$level, xhprof_disable()];
    }
    foreach ($processes as $process) {
        proc_terminate($process, 9);
        proc_close($process);
    }
}

$self = $calls = [];
foreach ($recorded as $run => [, $edges]) {
    foreach ($edges as $edge => $cost) {
        [$caller, $callee] = explode('==>', $edge) + [1 => null];
        $callee ??= $caller;
        $self[$callee][$run] = ($self[$callee][$run] ?? 0) + $cost['wt'];
        $calls[$callee][$run] = ($calls[$callee][$run] ?? 0) + $cost['ct'];
        if (strpos($edge, '==>')) {
            $self[$caller][$run] = ($self[$caller][$run] ?? 0) - $cost['wt'];
            $edge_calls[$edge][$run] = $cost['ct'];
        }
    }
}
unset($self['main()']);
uasort($self, fn ($a, $b) => array_sum($b) <=> array_sum($a));
$functions = array_slice(array_keys($self), 0, FUNCTIONS);
// Edges that do not always have the same number of calls per caller, those with the most calls first.
$varies = array_filter($edge_calls, function ($of_runs, $edge) use ($calls) {
    $caller = explode('==>', $edge)[0];
    $ratios = [];
    foreach ($of_runs as $run => $count) {
        $ratios[] = (string) round($count / $calls[$caller][$run], 6);
    }
    return count($of_runs) > 20 && max($of_runs) < 65535 && max($calls[$caller]) < 65535 && count(array_unique($ratios)) > 1;
}, ARRAY_FILTER_USE_BOTH);
uasort($varies, fn ($a, $b) => array_sum($b) <=> array_sum($a));
$kept = array_slice(array_keys($varies), 0, EDGES);

$bytes = pack('v3', count($functions), count($kept), count($recorded));
$bytes .= implode("\n", [...$functions, ...$kept]) . "\n";
foreach ($recorded as $run => [$level]) {
    $numbers = [];
    foreach ($functions as $function) {
        $us = $self[$function][$run] ?? null;
        $numbers[] = $us === null ? 0 : 1 + (int) round(1000 * log1p(max(0, $us)));
    }
    foreach ($kept as $edge) {
        $numbers[] = $calls[explode('==>', $edge)[0]][$run] ?? 0;
        $numbers[] = $edge_calls[$edge][$run] ?? 0;
    }
    $bytes .= chr($level) . pack('v*', ...$numbers);
}
file_put_contents($out, $bytes);
fprintf(STDERR, "%s: %d runs, %d functions, %d edges, load average %s\n", $standard, count($recorded), count($functions), count($kept), sys_getloadavg()[0]);
