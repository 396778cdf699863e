<?php

/**
 * Programs of `Kept.php` under both engines, with and without OPcache, its file cache and
 * its JIT: every call is in its job's profile, and all profiles are the same.
 *
 *     php kept.php EXTENSION [FIRST [COUNT]]
 */

require __DIR__ . '/Kept.php';

[, $extension] = $argv;
[$first, $count] = [(int) ($argv[2] ?? 1), (int) ($argv[3] ?? 200)];
$folder = sys_get_temp_dir() . '/xhprof-kept-' . getmypid();
$loaded = ['-n', '-d', "extension=$extension"];
// Since 8.5 OPcache is a part of PHP.
$with_opcache = PHP_VERSION_ID >= 80500 ? [] : ['-d', 'zend_extension=opcache'];
array_push($with_opcache, '-d', 'opcache.enable_cli=1', '-d', 'opcache.file_update_protection=0', '-d', 'opcache.optimization_level=0x7FFE3FFF');
$jit = [...$with_opcache, '-d', 'opcache.jit_buffer_size=16M', '-d'];
$configurations = [
    'execute' => ['-d', 'xhprof.engine=execute'],
    'observer' => ['-d', 'xhprof.engine=observer'],
    'execute, OPcache' => ['-d', 'xhprof.engine=execute', ...$with_opcache],
    'observer, OPcache' => ['-d', 'xhprof.engine=observer', ...$with_opcache],
    'observer, file cache' => ['-d', 'xhprof.engine=observer', ...$with_opcache, '-d', "opcache.file_cache=$folder/cache", '-d', 'opcache.file_cache_only=1'],
    'observer, preloaded' => ['-d', 'xhprof.engine=observer', ...$with_opcache, '-d', 'opcache.preload_user=' . (function_exists('posix_getpwuid') ? posix_getpwuid(posix_geteuid())['name'] : 'root'), '-d', "opcache.preload=$folder/declared.php"],
    'tracing JIT' => [...$jit, 'opcache.jit=tracing'],
    'function JIT' => [...$jit, 'opcache.jit=function'],
];
$failed = 0;
for ($seed = $first; $seed < $first + $count; $seed++) {
    // A cache tells files apart by their second of change.
    exec('rm -rf ' . escapeshellarg($folder));
    mkdir("$folder/cache", 0700, true);
    foreach ((new Kept($seed))->files() as $name => $code) {
        file_put_contents("$folder/$name", $code);
    }
    $expected = null;
    foreach ($configurations as $name => $options) {
        if ($name === 'observer, preloaded') {
            // What is preloaded is declared already.
            $program = str_replace("require __DIR__ . '/declared.php';", '', file_get_contents("$folder/program.php"));
        } else {
            $program = (new Kept($seed))->files()['program.php'];
        }
        file_put_contents("$folder/program.php", $program);
        $command = [PHP_BINARY, ...$loaded, ...$options, "$folder/program.php"];
        exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>&1', $output, $status);
        $text = implode("\n", $output);
        $output = [];
        $expected ??= $text;
        $wrong = match (true) {
            $status !== 0, !preg_match('/^([0-9a-f]{32} 0\n?)+$/', $text) => "ended with $status: " . substr($text, 0, 300),
            $text !== $expected => 'other calls than under execute',
            default => null,
        };
        if ($wrong !== null) {
            $failed++;
            echo "seed $seed, $name: $wrong\n";
            break;
        }
    }
}
exec('rm -r ' . escapeshellarg($folder));
echo "$count programs from seed $first on, ", count($configurations), " configurations: $failed with differences\n";
exit($failed > 0 ? 1 : 0);
