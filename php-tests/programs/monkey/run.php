<?php

/**
 * Runs programs that use the profiler at random, under all modes and both engines. No
 * program may crash, print a message, or leave an unreadable profile.
 *
 *     php -n run.php EXTENSION PROGRAM FIRST COUNT
 */

require __DIR__ . '/../../include/faults.php';

[, $extension, $program, $first, $count] = $argv;
$folder = sys_get_temp_dir() . '/xhprof-monkey-' . getmypid();
mkdir($folder, 0700);
mkdir("$folder/profiles", 0700);
$failed = $files = 0;

/** Runs a command; returns its status and its output. */
function run(array $command): array
{
    $process = proc_open(['timeout', '60', ...$command], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes, null, ['PHP_INI_SCAN_DIR' => '/dev/null'] + getenv());
    $output = stream_get_contents($pipes[1]);
    return [proc_close($process), $output];
}

/** Options that load the extensions which the programs need and this PHP has as files. */
function extensions(): array
{
    $names = array_filter(['posix', 'pcntl'], fn ($name) => is_file(ini_get('extension_dir') . "/$name.so"));
    return array_merge(...array_map(fn ($name) => ['-d', "extension=$name"], array_values($names)));
}

/** The settings for a seed. */
function settings(int $seed, string $engine): array
{
    $flags = ['', 'cpu', 'memory', 'cpu memory lines', 'cpu no_builtins', 'lines'];
    $formats = ['native', 'xhprof', 'json'];
    $mode = ['edges', 'tree', 'events', 'sample'][$seed % 4];
    $jit = $engine === 'observer' && $seed % 5 === 0 && !has_fault_21910()
        ? ['zend_extension' => 'opcache', 'opcache.enable_cli' => 1, 'opcache.jit' => 'tracing', 'opcache.jit_buffer_size' => '32M', 'opcache.jit_hot_func' => 5, 'opcache.jit_hot_loop' => 5]
        : [];
    return $jit + [
        'xhprof.engine' => $engine,
        'xhprof.auto_enable' => (int) (intdiv($seed, 3) % 3 > 0),
        'xhprof.mode' => $mode,
        'xhprof.output_format' => $mode === 'events' ? 'native' : $formats[intdiv($seed, 5) % 3],
        'xhprof.flags' => '"' . $flags[intdiv($seed, 4) % 6] . '"',
        'xhprof.sampling_interval' => 200,
    ];
}

for ($seed = (int) $first; $seed < $first + $count; $seed++) {
    foreach (['execute', 'observer'] as $engine) {
        $settings = ['extension' => $extension, 'xhprof.output_dir' => "$folder/profiles", 'display_errors' => 1, 'memory_limit' => '256M'];
        $command = [PHP_BINARY, '-n', ...extensions()];
        foreach ($settings + settings($seed, $engine) as $name => $value) {
            array_push($command, '-d', "$name=$value");
        }
        [$status, $output] = run([...$command, __DIR__ . '/program.php', "$seed", $folder]);
        foreach (glob("$folder/profiles/*") as $file) {
            $files++;
            [$bad, $problem] = run([$program, 'report', '--json', $file]);
            $output .= $bad ? $problem : '';
            unlink($file);
        }
        if ($status || $output !== '') {
            $failed++;
            echo "seed $seed, $engine: status $status\n", substr($output, 0, 1000), "\n";
        }
    }
}
exec('rm -r ' . escapeshellarg($folder));
echo 2 * $count, " programs that use the profiler at random, $files profiles: $failed failed\n";
exit($failed || !$files ? 1 : 0);
