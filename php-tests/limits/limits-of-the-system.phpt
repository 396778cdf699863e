--TEST--
Limits of the system end no program and print nothing: file size, threads, memory, open files, a full disk
--EXTENSIONS--
xhprof
posix
--SKIPIF--
<?php
if (PHP_OS_FAMILY !== 'Linux') die('skip limits as Linux has them');
foreach (['prlimit', 'setpriv'] as $program) {
    if (!shell_exec("command -v $program")) die("skip $program of util-linux sets limits");
}
require __DIR__ . '/../include/emulated.php';
if (is_emulated()) die('skip the limits of an emulated program are the emulator\'s, too');
?>
--INI--
opcache.enable_cli=0
--FILE--
<?php
// OPcache's shared memory would be most of what the limits are about.
require __DIR__ . '/../include/child.php';

/** How PHP ends under a limit: its status, what it printed, and what it logged. */
function under(string $limit, bool $is_profiled, string $folder, string ...$settings): array
{
    $php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
    $options = getenv('TEST_PHP_EXTRA_ARGS');
    if ($is_profiled) {
        $options .= ' -d xhprof.auto_enable=1';
        foreach ($settings as $setting) {
            $options .= ' -d ' . escapeshellarg($setting);
        }
    }
    $log = "$folder/log";
    @unlink($log);
    $user = '';
    if ($limit === NO_THREADS && posix_getuid() === 0) {
        // Root may start any number of threads. Another user may not see the folder of the extension.
        $user = 'setpriv --reuid=65534 --clear-groups ';
        preg_match('~extension=[\'"]?([^\'"\s]*/[^\'"\s]*xhprof\.so)~', $options, $extension);
        copy($extension[1], "$folder/extension.so");
        $options = str_replace($extension[1], "$folder/extension.so", $options);
    }
    $command = "$limit $php $options -d display_errors=1 -d log_errors=1 -d error_log=$log $folder/script";
    chmod($folder, 0777);
    exec($user . '/bin/sh -c ' . escapeshellarg($command) . ' 2>&1', $output, $status);
    $lines = is_file($log) ? preg_grep('/xhprof: /', file($log)) : [];
    return [$status, implode("\n", $output), count($lines)];
}

const NO_THREADS = 'exec prlimit --nproc=0:0';
$folder = make_directory();
file_put_contents("$folder/script", '<?php
function leaf($i) { return $i + 1; }
for ($i = 0; $i < 2000; $i++) eval("function f$i() { return leaf($i); }");
for ($i = 0; $i < 2000; $i++) ("f$i")();
echo "done\n";
');
mkdir("$folder/out");
chmod("$folder/out", 0777);
$out = "xhprof.output_dir=$folder/out";
$cases = [
    'file size' => ['ulimit -f 1; exec', [$out]],
    'file size, events' => ['ulimit -f 8; exec', [$out, 'xhprof.mode=events']],
    'threads' => [NO_THREADS, [$out, 'xhprof.mode=sample']],
    'a full disk' => ['exec', ['xhprof.output_dir=/dev/full']],
];
foreach ($cases as $name => [$limit, $settings]) {
    [$status, $output] = under($limit, false, $folder);
    [$profiled_status, $profiled_output, $lines] = under($limit, true, $folder, ...$settings);
    if ([$status, $output] !== [$profiled_status, $profiled_output]) {
        echo "$name: without the profiler $status $output, with it $profiled_status $profiled_output\n";
    }
    echo "$name: $lines line in the log\n";
}
// Near the least memory with which PHP starts: from there on PHP ends as without a profile.
$least = 20_000;
while (under("ulimit -v $least; exec", false, $folder)[0] !== 0 && $least < 4_000_000) {
    $least += 8_000;
}
// PHP 8.6 itself aborts there.
$aborts = false;
for ($memory = $least - 8_000; $memory < $least; $memory += 250) {
    $aborts = $aborts || under("ulimit -v $memory; exec", false, $folder)[0] === 134;
}
foreach (['xhprof.mode=tree', 'xhprof.mode=edges', 'xhprof.mode=events', 'xhprof.mode=sample'] as $mode) {
    // With less, PHP ends for want of memory, or crashes as it starts. Rust must not abort.
    for ($memory = $least - 8_000; $memory < $least; $memory += 100) {
        [$status, $output] = under("ulimit -v $memory; exec", true, $folder, $out, $mode);
        if ($status === 134 && !$aborts || str_contains($output, 'memory allocation of')) {
            echo "$memory KiB, $mode: $status ", substr($output, 0, 200), "\n";
        }
        array_map(unlink(...), glob("$folder/out/*"));
    }
    for ($memory = $least; $memory < $least + 8_000; $memory += 500) {
        [$status, $output] = under("ulimit -v $memory; exec", false, $folder);
        [$profiled_status, $profiled_output] = under("ulimit -v $memory; exec", true, $folder, $out, $mode);
        if ([$status, $output] !== [$profiled_status, $profiled_output] && $status === 0) {
            echo "$memory KiB, $mode: $profiled_status ", substr($profiled_output, 0, 200), "\n";
        }
        array_map(unlink(...), glob("$folder/out/*"));
    }
}
array_map(unlink(...), [...glob("$folder/out/*"), ...glob("$folder/out/.*[!.]")]);
rmdir("$folder/out");
remove_directory($folder);
echo "done\n";
?>
--EXPECT--
file size: 1 line in the log
file size, events: 1 line in the log
threads: 1 line in the log
a full disk: 1 line in the log
done
