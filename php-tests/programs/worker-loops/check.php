<?php

/**
 * Runs the loops of docs/workers.md unchanged, and checks the profiles that they
 * write.
 *
 *     php -n check.php EXTENSION PROGRAM
 *
 * runtimes.php stands in for the runtimes. Each loop handles three jobs or
 * requests; the last one throws. PROGRAM reads the files.
 */

[, $extension, $program] = $argv;
$page = file_get_contents(__DIR__ . '/../../../docs/workers.md');
// By loop: the title, texts in all files, a function, and in how many of the three it is called.
$loops = [
    'queue.php' => ['SendMail', ['mails'], 'SendMail::handle', 3],
    'roadrunner.php' => ['GET /articles/{id}', [], 'Spiral\RoadRunner\Http\PSR7Worker::respond', 2],
    'frankenphp.php' => ['GET /articles/{id}', [], 'match_route', 3],
    'swoole.php' => ['GET /articles/{id}', [], 'Runtimes\Response::end', 2],
    'octane.php' => ['GET /articles/{id}', [], 'match_route', 3],
];
$failed = false;

function check(string $what, mixed $found, mixed $expected): void
{
    global $failed, $name;
    if ($found !== $expected) {
        $failed = true;
        echo "$name: $what: ", json_encode($found), ' instead of ', json_encode($expected), "\n";
    }
}

/** Runs a command; returns its output and its status. */
function run(array $command, string $directory, array $environment = []): array
{
    $process = proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes, $directory, $environment + getenv());
    $output = stream_get_contents($pipes[1]);
    return [$output, proc_close($process)];
}

preg_match_all('/^```php\n(<\?php \/\/ ([a-z]+\.php)\n.*?)^```$/ms', $page, $found, PREG_SET_ORDER);
check('the loops of the page', array_column($found, 2), array_keys($loops));
check('code that is not run', substr_count($page, "```php\n"), count($loops));
foreach ($found as [, $code, $name]) {
    $failed_before = $failed;
    $failed = false;
    foreach ([false, true] as $is_whole_worker_profiled) {
        $folder = sys_get_temp_dir() . '/xhprof-workers-' . bin2hex(random_bytes(8));
        mkdir("$folder/vendor", 0700, true);
        mkdir("$folder/profiles", 0700);
        file_put_contents("$folder/$name", $code);
        copy(__DIR__ . '/runtimes.php', "$folder/vendor/autoload.php");
        $settings = ['extension=' . $extension, "xhprof.output_dir=$folder/profiles", 'xhprof.output_name=%u.%R.%i', 'error_log=', 'log_errors=1', 'display_errors=stderr', 'html_errors=0'];
        $options = array_merge(...array_map(fn ($setting) => ['-d', $setting], $settings));
        [$output, $status] = run([PHP_BINARY, '-n', ...$options, $name], $folder, ['XHPROF' => $is_whole_worker_profiled ? '1' : '0']);
        check('its end', $status, 0);
        check('warnings in ' . $output, preg_match('/warning|fatal|notice|deprecated/i', $output), 0);
        check('the failure', substr_count($output, 'the third one fails'), 1);
        $files = glob("$folder/profiles/*.xhp");
        check('profiles', count($files), $is_whole_worker_profiled ? 4 : 3);
        [$title, $texts, $function, $calls] = $loops[$name];
        foreach ($files as $number => $file) {
            [$report, $status] = run([$program, 'report', '--json', '--limit', '0', $file], $folder);
            check('the report', $status, 0);
            $is_worker = $number === 3;
            check('the title', str_contains($report, json_encode($title, JSON_UNESCAPED_SLASHES)), !$is_worker);
            check('the name ' . basename($file), preg_match('/^\d+\.' . ($is_worker ? 'noroute' : '\w+') . '\.[0-9a-f]{32}\.xhp$/', basename($file)), 1);
            check('the function', str_contains($report, json_encode($function)), $number < $calls);
            check('the time of jobs in the worker', str_contains($report, '[profiled by the program]'), $is_worker);
            $content = file_get_contents($file);
            foreach ($texts as $text) {
                check("the text $text", str_contains($content, $text), !$is_worker);
            }
            check('its permissions', decoct(fileperms($file) & 0777), '600');
        }
        if ($name === 'queue.php' && $is_whole_worker_profiled) {
            mkdir("$folder/ini");
            file_put_contents("$folder/ini/output.ini", "xhprof.output_dir=$folder/jobs\n");
            mkdir("$folder/jobs");
            [$output, $status] = run([$program, 'run', '--extension', realpath($extension), '-o', 'worker.xhp', '--limit', '0', '--', $name], $folder, ['PHP_INI_SCAN_DIR' => ":$folder/ini"]);
            check("`xhprof run`, which says: $output", $status, 0);
            check('what it shows is the worker', preg_match('/^ *3 .*\[profiled by the program\]$/m', $output), 1);
            [$report] = run([$program, 'report', 'worker.xhp'], $folder);
            check('what it keeps is the worker', str_contains($report, '[profiled by the program]'), true);
            $jobs = glob("$folder/jobs/*.xhp");
            check('the jobs are in output_dir', array_map(fn ($file) => str_contains(run([$program, 'report', $file], $folder)[0], 'route: SendMail'), $jobs), [true, true, true]);
        }
        exec('rm -r ' . escapeshellarg($folder));
    }
    echo "$name: 3 jobs or requests, one of which throws, alone and in a worker that is profiled: ", $failed ? 'FAILED' : 'ok', "\n";
    $failed = $failed || $failed_before;
}
exit($failed ? 1 : 0);
