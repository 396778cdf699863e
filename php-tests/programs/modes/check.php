<?php

// check.php EXTENSION PROGRAM: what `xhprof.mode` writes, read by the program.
//
// Every mode must have the same calls. The only exception is recursion through a
// fiber's start: edges count its levels from 0, paths do not. Also tests the call
// events of a process that is killed, forks, or fills its file.

[, $extension, $xhprof] = $argv;
$folder = sys_get_temp_dir() . '/xhprof-modes-' . bin2hex(random_bytes(8));
mkdir($folder, 0700);
register_shutdown_function(fn () => array_map(unlink(...), glob("$folder/*")) && rmdir($folder));
$failed = 0;

function check(bool $is_so, string $what): void
{
    global $failed;
    if (!$is_so) {
        $failed++;
        echo "FAILED: $what\n";
    }
}

/** Runs $code with these settings; returns its output and its status. */
function run(string $code, string ...$settings): array
{
    global $extension, $folder;
    file_put_contents("$folder/script.php", "<?php\n$code");
    array_unshift($settings, "extension=$extension", 'xhprof.auto_enable=1', "xhprof.output_dir=$folder", 'display_errors=1', 'html_errors=0');
    $options = implode(' ', array_map(fn ($setting) => '-d ' . escapeshellarg($setting), $settings));
    exec('exec ' . escapeshellarg(PHP_BINARY) . " -n $options $folder/script.php 2>&1", $output, $status);
    return [implode("\n", $output), $status];
}

/** The rows of all files; deletes the files. */
function profiles(string $pattern): array
{
    global $xhprof, $folder;
    $profiles = [];
    foreach (glob("$folder/$pattern") as $file) {
        exec(escapeshellarg($xhprof) . ' convert ' . escapeshellarg($file) . ' --to xhprof-json -o - 2>&1', $json, $status);
        check($status === 0, "$file cannot be read: " . implode("\n", $json));
        $profiles[] = json_decode(implode("\n", $json), true) ?? [];
        unlink($file);
        $json = null;
    }
    return $profiles;
}

function calls(array $profile): array
{
    $calls = array_map(fn ($row) => $row['ct'], $profile);
    unset($calls[current(preg_grep('/load::/', array_keys($calls))) ?: '']);
    ksort($calls);
    return $calls;
}

$everything = <<<'PHP'
    function fib($n) { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }
    function leaf() { return array_sum([1]); }
    function generator($n) { for ($i = 0; $i < $n; $i++) { leaf(); yield $i; } return leaf(); }
    function delegating() { yield from generator(3); yield from generator(2); }
    function thrower($n) { try { if ($n === 0) throw new Exception; thrower($n - 1); } finally { leaf(); } }
    class Thing {
        function __construct(private $depth) { leaf(); }
        function __destruct() { leaf(); if ($this->depth) new Thing($this->depth - 1); }
        function __call($name, $arguments) { return leaf(); }
    }
    function fiber($n) { for (; $n; $n--) { leaf(); inner($n); Fiber::suspend(); } }
    function inner($n) { $f = new Fiber(nested(...)); $f->start($n); while (!$f->isTerminated()) { leaf(); $f->resume(); } }
    function nested($n) { Fiber::suspend(); fib($n); Fiber::suspend(); leaf(); }
    function deep($n) { return $n ? deep($n - 1) : leaf(); }
    fib(12); deep(3000);
    foreach (delegating() as $x) leaf();
    $unfinished = generator(5); $unfinished->current();
    try { thrower(5); } catch (Exception) { leaf(); }
    (new Thing(3))->anything();
    $fibers = array_map(fn () => new Fiber(fiber(...)), range(1, 3));
    foreach ($fibers as $f) $f->start(2);
    foreach ($fibers as $f) while (!$f->isTerminated()) $f->resume();
    $left = new Fiber(function () { leaf(); Fiber::suspend(); }); $left->start();
    usort($fibers, function () { return leaf(); });
    eval('leaf(); function made() { leaf(); } made();');
    for ($i = 0; $i < 20000; $i++) leaf();
    register_shutdown_function(function () { leaf(); });
    function stop() { leaf(); exit(3); }
    stop();
    PHP;
foreach (['execute', 'observer'] as $engine) {
    foreach (['', 'cpu memory'] as $flags) {
        $seen = [];
        foreach (['edges', 'tree', 'events'] as $mode) {
            [$output, $status] = run($everything, "xhprof.engine=$engine", "xhprof.mode=$mode", "xhprof.flags=$flags");
            check($output === '' && $status === 3, "$mode: status $status, output $output");
            $profiles = profiles('*.xhp');
            check(count($profiles) === 1 && glob("$folder/*.partial") === [], "$engine, $mode: one complete file");
            $seen[$mode] = calls($profiles[0]);
        }
        check(array_sum($seen['edges']) > 40000, "$engine: all calls are there");
        foreach (['tree', 'events'] as $mode) {
            foreach ([[$mode, 'edges'], ['edges', $mode]] as [$one, $other]) {
                foreach (array_diff_assoc($seen[$one], $seen[$other]) as $edge => $calls) {
                    check(false, "$engine, $flags: $edge $calls times in $one, not in $other");
                }
            }
        }
    }
}
echo "the same calls as edges, tree and events\n";

$work = 'function work($n) { for ($i = 0; $i < $n; $i++) leaf(); } function leaf() {} ';
foreach (['execute', 'observer'] as $engine) {
    $events = ["xhprof.engine=$engine", 'xhprof.mode=events'];

    run("$work work(50000); exec('kill -9 ' . getmypid()); sleep(60);", ...$events);
    [$profile] = profiles('*.partial') + [[]];
    check(($profile['work==>leaf']['ct'] ?? 0) > 45000, "$engine: a killed process leaves the file that it wrote");

    if (is_dir('/proc')) {
        [$output] = run("$work work(30000); usleep(300000); if (\$argc) { exec('kill -TERM ' . getmypid()); work(10); sleep(60); }", ...$events);
        [$profile] = profiles('*.xhp') + [[]];
        check(($profile['work==>leaf']['ct'] ?? 0) >= 30000, "$engine: a terminated process writes all events");
    }

    run("$work work(1000000);", 'xhprof.max_events_size=64K', ...$events);
    check(filesize(glob("$folder/*.xhp")[0]) < 128 << 10, "$engine: a file has a limit");
    [$profile] = profiles('*.xhp') + [[]];
    check(
        ($profile['work==>leaf']['ct'] ?? 0) > 5000 && ($profile['work==>[truncated]']['ct'] ?? $profile['leaf==>[truncated]']['ct'] ?? 0) === 1,
        "$engine: what is past the limit is [truncated]"
    );

    [$output, $status] = run("$work work(30000); echo 'output'; exit(3);", 'xhprof.output_dir=/not/there', ...$events);
    check(
        str_starts_with($output, 'output') && !str_contains($output, 'Warning: ') && substr_count($output, '/not/there/') === 1 && $status === 3,
        "$engine: one line in the log where nothing can be written: $output"
    );
}
echo "call events survive the end of their process\n";

if (extension_loaded('pcntl')) {
    foreach (['execute', 'observer'] as $engine) {
        run("$work function child() { work(30000); } function mother(\$child) { pcntl_waitpid(\$child, \$status); work(20000); }
            function both() { work(7); \$child = pcntl_fork(); \$child ? mother(\$child) : child(); work(3); }
            work(10000); both();", "xhprof.engine=$engine", 'xhprof.mode=events');
        $seen = [];
        foreach (profiles('*.xhp') as $profile) {
            $seen[] = isset($profile['both==>mother']) ? 'mother ' . $profile['work==>leaf']['ct']
                : 'child ' . $profile['work==>leaf']['ct'] . ' ' . $profile['main()==>both']['ct'];
        }
        sort($seen);
        check($seen === ['child 30003 1', 'mother 30010'], "$engine: each side of a fork has its own file: " . implode(', ', $seen));
    }
    echo "each side of a fork writes its own file\n";
}
exit($failed ? 1 : 0);
