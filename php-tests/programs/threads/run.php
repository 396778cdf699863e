<?php

// run.php THREADS.SO LIBXHPROF.SO XHPROF: requests in many threads at once; some are
// profiled. No request may fail or crash, and every file must be readable. Run by a
// thread-safe PHP; see threads.c.

[, $threads, $module, $program] = $argv;
$folder = sys_get_temp_dir() . '/xhprof-threads-' . bin2hex(random_bytes(8));
mkdir($folder);
file_put_contents("$folder/included.php", '<?php return 42;');

/** Code that returns true if all its actions succeed. */
function code(string $body): string
{
    global $folder;
    $body = str_replace('INCLUDED', var_export("$folder/included.php", true), $body);
    return "(function () { $body return true; })()";
}

// Some threads begin and end profiles all the time; the others include files.
$includes = code('
    if (random_int(0, 3) === 0) {
        for ($i = 0; $i < 3000; ++$i) { xhprof_enable(); xhprof_disable(); }
        return true;
    }
    for ($i = 0; $i < 3000; ++$i) if ((@include INCLUDED) !== 42) return false;');
// Actions of a request under an automatic profile.
$everything = code('
    function fib($n) { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }
    if ((include INCLUDED) !== 42 || fib(13) !== 233) return false;
    array_map(fn ($x) => strlen($x), range(1, 100));
    try { (function () { throw new Exception("x"); })(); } catch (Exception) {}
    foreach ((function () { yield 1; yield 2; })() as $_);
    $fiber = new Fiber(function () { fib(5); Fiber::suspend(); fib(6); });
    $fiber->start();
    $fiber->resume();
    if (random_int(0, 3) === 0) {
        register_shutdown_function(fn () => trigger_error("the end", E_USER_ERROR));
    }
    if (random_int(0, 3) === 0) {
        xhprof_enable();
        fib(4);
        if (!isset(xhprof_disable()["main()"])) return false;
    }');

/** Runs code in threads; prints errors. */
function run(string $what, string $code, int $count, int $requests, array $settings): bool
{
    global $threads, $module;
    $command = [PHP_BINARY, '-n'];
    foreach (["extension=$threads", "extension=$module", 'display_errors=0', 'log_errors=0', ...$settings] as $setting) {
        array_push($command, '-d', $setting);
    }
    $run = 'echo threads_run(' . var_export($code, true) . ", $count, $requests);";
    $process = proc_open([...$command, '-r', $run], [1 => ['pipe', 'w']], $pipes);
    $failed = stream_get_contents($pipes[1]);
    $status = proc_close($process);
    if ($status !== 0 || $failed !== '0') {
        echo "$what: status $status, ", $failed === '' ? 'no answer' : "$failed requests failed", "\n";
        return false;
    }
    return true;
}

$is_right = true;
$files = 0;
foreach (['execute', 'observer'] as $engine) {
    $is_right = run("$engine, includes", $includes, 6, 10, ["xhprof.engine=$engine"]) && $is_right;
    foreach (['edges', 'tree', 'events', 'sample'] as $mode) {
        mkdir("$folder/$mode");
        $settings = [
            "xhprof.engine=$engine", 'xhprof.auto_enable=1', "xhprof.mode=$mode", "xhprof.output_dir=$folder/$mode",
            'xhprof.sampling_interval=100', 'xhprof.collect_additional_info=1',
        ];
        $is_right = run("$engine, $mode", $everything, 24, 10, $settings) && $is_right;
        foreach (glob("$folder/$mode/*") as $file) {
            $files++;
            exec(escapeshellarg($program) . ' report --limit 1 ' . escapeshellarg($file) . ' 2>&1', $lines, $status);
            if ($status !== 0) {
                echo "$engine, $mode: $file cannot be read: ", end($lines), "\n";
                $is_right = false;
            }
            unlink($file);
        }
        rmdir("$folder/$mode");
    }
}
unlink("$folder/included.php");
rmdir($folder);
echo $is_right ? "threads: all requests went well, $files profiles can be read\n" : "threads: see above\n";
exit($is_right ? 0 : 1);
