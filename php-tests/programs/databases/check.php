<?php

/**
 * Profiles statements and commands to real servers. Checks that the program's results
 * do not change, that each statement is recorded correctly, and that no private text is.
 *
 *     php -n check.php EXTENSION PROGRAM ROOT FOLDER
 *
 * PROGRAM is the xhprof that reads profiles. Below ROOT are the servers and modules
 * that this machine lacks. FOLDER is empty; the caller removes it.
 */

require __DIR__ . '/servers.php';
require __DIR__ . '/../../include/spans.php';

[, $extension, $reader, $root, $folder] = $argv;
$failed = 0;
$seed = bin2hex(random_bytes(8));

function failed(string $what): void
{
    global $failed, $run;
    $failed++;
    echo "$run: $what\n";
}

/** The arguments for PHP that load what the program needs. */
function modules(string $root): array
{
    $arguments = [];
    // The order matters: later extensions need earlier ones.
    foreach (['pdo', 'mysqlnd', 'mysqli', 'pdo_mysql', 'pgsql', 'pdo_pgsql', 'pdo_sqlite', 'igbinary', 'msgpack', 'redis', 'memcached'] as $module) {
        $directories = ["$root/usr/lib/php/" . basename(PHP_EXTENSION_DIR), PHP_EXTENSION_DIR];
        foreach ($directories as $directory) {
            if (is_file("$directory/$module.so")) {
                array_push($arguments, '-d', "extension=$directory/$module.so");
                continue 2;
            }
        }
        if (!extension_loaded($module)) {
            throw new RuntimeException("PHP has no module $module, and Debian's would be in " . implode(' or ', $directories));
        }
    }
    return $arguments;
}

/** Runs the program; returns its output, its errors and its status. */
function run(array $settings, array $environment = []): array
{
    global $modules, $folder, $seed;
    $command = [PHP_BINARY, '-n', ...$modules];
    foreach ($settings + ['display_errors' => 'stderr', 'html_errors' => '0', 'date.timezone' => 'UTC'] as $name => $value) {
        array_push($command, '-d', "$name=$value");
    }
    $errors = ['file', "$folder/errors", 'w'];
    $process = proc_open([...$command, __DIR__ . '/program.php', $folder, $seed], [['file', '/dev/null', 'r'], ['pipe', 'w'], $errors], $pipes, null, $environment + getenv());
    $output = stream_get_contents($pipes[1]);
    return [$output, file_get_contents("$folder/errors"), proc_close($process)];
}

/** Checks that a text has no part of a secret. */
function check_secrets(string $where, string $bytes): void
{
    global $secrets;
    $bytes = strtolower($bytes);
    foreach ($secrets as $secret) {
        foreach (array_unique([substr($secret, 0, 8), substr($secret, -8), bin2hex($secret)]) as $part) {
            $at = strpos($bytes, $part);
            if ($at !== false) {
                failed("$where has a secret: " . preg_replace('/[^ -~]/', '.', substr($bytes, max(0, $at - 60), 100)));
            }
        }
    }
}

/** Compares two lists in order; reports the first differences. */
function compare(string $what, array $found, array $expected): void
{
    $differences = 0;
    for ($i = 0; $i < max(count($found), count($expected)); $i++) {
        if (($found[$i] ?? null) !== ($expected[$i] ?? null)) {
            failed("$what $i is " . ($found[$i] ?? 'not there') . "\n    instead of " . ($expected[$i] ?? 'none'));
            if (++$differences === 5) {
                return;
            }
        }
    }
}

/** A span as a line. */
function line(string $function, ?string $text, ?int $rows): string
{
    return "$function: " . ($text ?? '-') . ($rows === null ? '' : ", $rows rows");
}

function kind(string $function): string
{
    return str_starts_with($function, 'Redis') ? 'redis' : (str_starts_with($function, 'Memcached') ? 'memcached' : 'sql');
}

function check_native(string $file): void
{
    global $expected, $reader;
    $native = read_native($file);
    $spans = $native['spans'];
    usort($spans, fn ($a, $b) => $a['start'] <=> $b['start']);
    $lines = array_map(fn ($it) => "$it[kind] " . line($it['function'], $it['text'], $it['rows'] < 0 ? null : $it['rows']), $spans);
    compare('span', $lines, array_map(fn ($it) => kind($it[0]) . ' ' . line(...$it), $expected));
    foreach (preg_grep('/#/', $native['names']) as $name) {
        failed("a name has more in it: $name");
    }
    check_secrets('the file', file_get_contents($file));
    check_secrets('a name', implode("\n", $native['names']));
    check_secrets('a text', implode("\n", array_column($spans, 'text')));
    $report = (string) shell_exec(escapeshellarg($reader) . ' report --spans --json ' . escapeshellarg($file));
    if (json_decode($report) === null) {
        failed('the program cannot read the file');
    }
    check_secrets('the report', $report);
}

function check_array(array $profile): void
{
    global $expected;
    $found = $wanted = [];
    foreach ($profile as $edge => $cost) {
        $name = explode('==>', $edge, 2)[1] ?? $edge;
        $found[$name] = ($found[$name] ?? 0) + $cost['ct'];
    }
    foreach ($expected as [$function, $text]) {
        // The name of a command is the name of its function.
        $is_name = $text === null || strcasecmp(substr(strrchr(":$function", ':'), 1), $text) === 0;
        $name = $is_name ? $function : "$function#$text";
        $wanted[$name] = ($wanted[$name] ?? 0) + 1;
    }
    $is_ours = fn (string $name) => isset($wanted[$name]) || str_contains($name, '#');
    $found = array_filter($found, $is_ours, ARRAY_FILTER_USE_KEY);
    ksort($found);
    ksort($wanted);
    $lines = fn (array $counts) => array_map(fn ($name) => "$name: $counts[$name] calls", array_keys($counts));
    foreach (array_diff($lines($wanted), $lines($found)) as $line) {
        failed("the array has not: $line");
    }
    foreach (array_diff($lines($found), $lines($wanted)) as $line) {
        failed("the array has, and should not: $line");
    }
    check_secrets('the array', implode("\n", array_keys($profile)));
}

$run = 'without the extension';
putenv('LD_LIBRARY_PATH=' . implode(':', glob("$root/usr/lib/*-linux-*")));
try {
    $modules = modules($root);
    foreach ([$folder, "$folder/files", "$folder/profiles"] as $it) {
        @mkdir($it, 0700);
        if (is_root()) {
            chown($it, 'daemon');
        }
    }
    $servers = start_servers($root, $folder);
    $plain = run([]);
    $said = json_decode(explode("\n", $plain[0])[0], true);
    if ($said === null || $plain[2] !== 255) {
        throw new RuntimeException("the program fails without the extension: $plain[0]$plain[1]");
    }
    ['told' => $told, 'expected' => $expected, 'secrets' => $secrets] = $said;
    foreach (['execute', 'observer'] as $engine) {
        foreach (['tree', 'events', 'array', 'serialized'] as $kind) {
            $run = "engine $engine, $kind";
            $settings = ['extension' => $extension, 'xhprof.engine' => $engine, 'xhprof.collect_additional_info' => '1'];
            $array = "$folder/profiles/array";
            $settings += match ($kind) {
                'tree', 'events' => ['xhprof.auto_enable' => '1', 'xhprof.output_dir' => "$folder/profiles", 'xhprof.mode' => $kind],
                'serialized' => ['xhprof.auto_enable' => '1', 'xhprof.output_dir' => "$folder/profiles", 'xhprof.output_format' => 'xhprof'],
                'array' => ['auto_prepend_file' => __DIR__ . '/classic.php'],
            };
            $profiled = run($settings, ['XHPROF_ARRAY' => $array]);
            compare('result', json_decode($profiled[0], true)['told'] ?? [], $told);
            if ($profiled !== $plain) {
                failed("the program ends otherwise: status $profiled[2], $profiled[1]");
            }
            $files = glob("$folder/profiles/*");
            if (count($files) !== 1) {
                failed(count($files) . ' files instead of one');
            }
            foreach ($files as $file) {
                check_secrets("the file's name", basename($file));
                check_secrets('the file', file_get_contents($file));
                in_array($kind, ['tree', 'events'], true) ? check_native($file) : check_array(unserialize(file_get_contents($file)));
            }
            array_map(unlink(...), [...$files, ...glob("$folder/profiles/.xhprof-*")]);
        }
    }
} catch (Throwable $error) {
    fwrite(STDERR, "$run: {$error->getMessage()}\n");
    exit(1);
} finally {
    foreach ($servers ?? [] as $server) {
        $server->stop();
    }
}
echo count($expected), ' statements and commands, ', count($told), ' results, ', count($secrets), ' secrets, eight profiles: ',
    $failed ? "$failed things are wrong\n" : "all as it should be\n";
exit($failed ? 1 : 0);
