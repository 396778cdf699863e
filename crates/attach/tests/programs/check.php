<?php

/**
 * `xhprof attach`, `dump` and `top` on real processes: a command, php-fpm's workers that come and go, and a PHP
 * without symbols.
 *
 *     php -n check.php PHP PROGRAM EXTENSION|- PHP-FPM|- [SECONDS]
 */

require __DIR__ . '/../../../../php-tests/programs/servers/fpm-server.php';

[, $php, $program, $extension, $fpm] = $argv;
$seconds = (float) ($argv[5] ?? 4);
$folder = sys_get_temp_dir() . '/xhprof-attach-' . getmypid();
mkdir($folder, 0755, true);
register_shutdown_function(fn () => exec('rm -rf ' . escapeshellarg($folder)));
$failed = 0;

function check(string $what, bool $is, string $found = ''): void
{
    global $failed;
    if (!$is) {
        $failed++;
        echo "$what: wrong", $found === '' ? '' : ": $found", "\n";
    }
}

/** Runs the program; its output, its messages and its status. */
function xhprof(string ...$arguments): array
{
    global $program;
    $process = proc_open([$program, ...$arguments], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['pipe', 'w']], $pipes);
    $output = stream_get_contents($pipes[1]);
    $errors = stream_get_contents($pipes[2]);
    return [$output, $errors, proc_close($process)];
}

/** Starts PHP; its output goes to a file. */
function start(array $command, string $output)
{
    return proc_open($command, [['file', '/dev/null', 'r'], ['file', $output, 'w'], ['file', "$output.err", 'w']], $pipes);
}

/** Waits for the end of a process; its status. */
function ended($process): int
{
    while (($status = proc_get_status($process))['running']) {
        usleep(5_000);
    }
    return $status['exitcode'];
}

/** Self shares by function, in percent, of a profile. */
function shares(string $file): array
{
    [$json] = xhprof('report', $file, '--json', '--no-hints');
    $functions = json_decode($json, true)['functions'] ?? [];
    $own = array_map(fn ($function) => $function['self']['wall_ns'], array_column($functions, null, 'name'));
    return array_map(fn ($self) => $self * 100 / (array_sum($own) ?: 1), $own);
}

/** Stacks that a program cannot have: each function but `main()` is called by the one whose name is its own without the end. */
function impossible(string $lines, int &$samples): array
{
    $wrong = [];
    foreach (explode("\n", trim($lines)) as $line) {
        if (!preg_match('/^(\S.*) (\d+)$/', $line, $match)) {
            continue;
        }
        $samples += (int) $match[2];
        $stack = explode(';', $match[1]);
        $above = null;
        foreach ($stack as $depth => $name) {
            $is_right = match (true) {
                $depth === 0 => $name === 'main()',
                preg_match('/^t(_\d)*$/', $name) === 1 => $above === null ? $name === 't' : preg_replace('/_\d$/', '', $name) === $above,
                // An internal function calls nothing, and is called by a leaf; before and after the calls the file runs others.
                default => $depth === count($stack) - 1 && ($above === null || preg_match('/^t(_\d){4}$/', $above)),
            };
            if (!$is_right) {
                $wrong[] = $line;
                break;
            }
            $above = preg_match('/^t/', $name) ? $name : $above;
        }
    }
    return $wrong;
}

/** A tree of functions, each of which is called by one other: t, t_0, t_0_2 …, the leaves in a fraction of a microsecond. */
function tree(): string
{
    $code = '';
    $queue = ['t'];
    while ($queue) {
        $name = array_shift($queue);
        if (substr_count($name, '_') === 4) {
            $rounds = crc32($name) % 20;
            $code .= "function $name(\$x) { for (\$i = 0; \$i < $rounds; \$i++) { \$x = (\$x * 31 + \$i) & 0xffff; } return \$x + strlen(md5((string) \$x)); }\n";
            continue;
        }
        $calls = '';
        for ($child = 0; $child < 3; $child++) {
            $queue[] = "{$name}_$child";
            $calls .= "\$x = {$name}_$child(\$x); ";
        }
        $code .= "function $name(\$x) { {$calls}return \$x & 0xffff; }\n";
    }
    return $code;
}

// The shares that the extension's sampler has in the same run.
file_put_contents("$folder/shares.php", <<<'PHP'
    <?php
    class Work { public function spin(float $ms): void { for ($end = hrtime(true) + 1e6 * $ms; hrtime(true) < $end;) { for ($i = 0, $x = 1; $i < 2000; $i++) { $x = ($x * 31 + $i) & 0xffff; } } } }
    function generator(Work $work) { $work->spin(3); yield 1; }
    function hashes(string $text, float $ms): void { for ($end = hrtime(true) + 1e6 * $ms; hrtime(true) < $end;) { md5($text); } }
    $work = new Work;
    $hashed = str_repeat('x', 50_000);
    for ($end = hrtime(true) + 1e9 * (float) $argv[1]; hrtime(true) < $end;) {
        (function () use ($work) { $work->spin(5); })();
        foreach (generator($work) as $one);
        array_map(function ($ms) use ($work) { $work->spin($ms); }, [2]);
        hashes($hashed, 4);
        (new Fiber(function () use ($work) { $work->spin(2); }))->start();
    }
    echo "the end\n";
    exit(7);
    PHP);
if ($extension !== '-') {
    $command = [$php, '-n', '-d', "extension=$extension", '-d', 'xhprof.auto_enable=1', '-d', 'xhprof.mode=sample', '-d', 'xhprof.sampling_interval=1000', '-d', "xhprof.output_dir=$folder", '-d', 'xhprof.output_name=inside', "$folder/shares.php", (string) ($seconds + 1)];
    $process = start($command, "$folder/out");
    usleep(300_000);
    $number = proc_get_status($process)['pid'];
    [, $errors, $status] = xhprof('attach', (string) $number, '--duration', "{$seconds}s", '--rate', '499', '-o', "$folder/outside.xhp");
    check('attach', $status === 0, $errors);
    check('the exit status of a program that is sampled', ended($process) === 7);
    check('its output', file_get_contents("$folder/out") === "the end\n");
    $inside = shares("$folder/inside.xhp");
    $outside = shares("$folder/outside.xhp");
    // Four standard errors of a share of one half: less would fail by chance.
    $allowed = 400 * sqrt(0.25 / (499 * $seconds));
    foreach ($inside + $outside as $name => $share) {
        $difference = abs(($inside[$name] ?? 0) - ($outside[$name] ?? 0));
        check("the share of $name", $difference < $allowed, sprintf('%.1f from inside, %.1f from outside', $inside[$name] ?? 0, $outside[$name] ?? 0));
    }
    // A profile from outside is like any other.
    preg_match_all('/^(\S+) +(?:yes|-) +yes /m', xhprof('convert', '--list')[0], $formats);
    $formats = $formats[1];
    check('the list of formats', count($formats) > 10);
    foreach (
        [
        ['report', "$folder/outside.xhp", '--tree'], ['diff', "$folder/inside.xhp", "$folder/outside.xhp"], ['flamegraph', "$folder/outside.xhp", '-o', "$folder/flame.svg"],
        ['html', "$folder/outside.xhp", '-o', "$folder/page.html"], ['merge', "$folder/outside.xhp", "$folder/inside.xhp", '-o', "$folder/sum.xhp"], ['grep', 'spin', "$folder/outside.xhp"],
        ...array_map(fn ($format) => ['convert', "$folder/outside.xhp", '--to', $format, '-o', "$folder/converted"], $formats),
        ] as $arguments
    ) {
        [, $errors, $status] = xhprof(...$arguments);
        check(implode(' ', $arguments), $status === 0, $errors);
    }
}

// No impossible stack of a command, with and without a stop, and the same output. One PHP has no symbols.
file_put_contents("$folder/tree.php", "<?php\n" . tree() . 'for ($x = 1, $end = hrtime(true) + 1e9 * (float) $argv[1]; hrtime(true) < $end;) { $x = t($x); } echo "the end\n"; exit(3);');
$binary = file_get_contents($php);
$bare = null;
if (str_contains($binary, "\0executor_globals\0")) {
    $bare = "$folder/php-without-symbols";
    file_put_contents($bare, strtr($binary, ["\0executor_globals\0" => "\0executor_xxxxxxx\0"]));
    chmod($bare, 0755);
}
foreach (array_filter(['plain' => [$php, []], 'stopped' => [$php, ['--stop']], 'without symbols' => $bare === null ? null : [$bare, []]]) as $how => [$which, $options]) {
    $process = start([$which, '-n', "$folder/tree.php", (string) ($seconds + 0.5)], "$folder/out");
    usleep(200_000);
    $number = (string) proc_get_status($process)['pid'];
    [$lines, $errors, $status] = xhprof('attach', $number, '--duration', "{$seconds}s", '--rate', '997', '--collapsed', ...$options);
    check("attach, $how", $status === 0, $errors);
    $samples = 0;
    $wrong = impossible($lines, $samples);
    check("no impossible stack, $how", $wrong === [], implode(' | ', array_slice($wrong, 0, 3)));
    check("samples, $how", $samples > 100 * $seconds, (string) $samples);
    echo "$how: $samples samples\n";
    check("the exit status, $how", ended($process) === 3);
    check("the output, $how", file_get_contents("$folder/out") === "the end\n", file_get_contents("$folder/out") . file_get_contents("$folder/out.err"));
}

// What a call waits for, as a frame.
file_put_contents("$folder/waits.php", <<<'PHP'
    <?php
    function hold($file) { flock(fopen($file, 'c'), LOCK_EX); }
    function read($address) { $server = stream_socket_client("tcp://$address"); fread($server, 10); }
    function child() { exec('exec sleep 60'); }
    function pause() { sleep(60); }
    function work() { for (;;) { md5('x'); } }
    $argv[1]($argv[2] ?? '');
    PHP);
$lock = fopen("$folder/held.lock", 'c');
flock($lock, LOCK_EX);
$server = stream_socket_server('tcp://127.0.0.1:0');
$address = stream_socket_get_name($server, false);
foreach (
    [
    ['hold', "$folder/held.lock", '/flock;\[flock ' . preg_quote("$folder/held.lock", '/') . '\] \d+$/'], ['read', $address, "/fread;\[(poll|recvfrom) tcp $address\] \\d+$/"],
    ['child', '', '/exec;\[read pipe\] \d+$/'], ['pause', '', '/sleep;\[clock_nanosleep\] \d+$/'], ['work', '', '/^main\(\);work(;md5)? \d+$/'],
    ] as [$function, $argument, $expected]
) {
    $process = start([$php, '-n', "$folder/waits.php", $function, $argument], "$folder/out");
    usleep(300_000);
    $number = (string) proc_get_status($process)['pid'];
    [$lines, $errors] = xhprof('attach', $number, '--native', '--duration', '500ms', '--collapsed');
    $wrong = preg_grep($expected, explode("\n", trim($lines)), PREG_GREP_INVERT);
    check("--native, $function", $lines !== '' && $wrong === [], $lines . $errors);
    [$dump] = xhprof('dump', $number);
    check("dump, $function", $function === 'work' || preg_match('/^  \[\w+.*\]\n  \w+\n  ' . $function . '  .*waits\.php:\d+$/m', $dump) === 1, $dump);
    proc_terminate($process);
    ended($process);
}
unset($lock, $server);

// The core file of a process that a signal has ended: gcore's where the machine has another place for them.
$pattern = trim((string) @file_get_contents('/proc/sys/kernel/core_pattern'));
$is_kernels = preg_match('~^[^|/]+$~', $pattern) === 1;
$gcore = trim((string) shell_exec('command -v gcore'));
file_put_contents("$folder/crash.php", "<?php\nfunction outer() { inner(fn () => sleep(60)); }\nfunction inner(\$wait) {\n    \$wait();\n}\nouter();\n");
foreach (array_filter(['kernel' => $is_kernels, 'gcore' => $gcore !== '']) as $writer => $is) {
    mkdir("$folder/$writer");
    $command = 'ulimit -c unlimited; cd ' . escapeshellarg("$folder/$writer") . ' && exec ' . escapeshellarg($php) . ' -n ' . escapeshellarg("$folder/crash.php");
    $process = start(['sh', '-c', $command], "$folder/out");
    usleep(300_000);
    $number = proc_get_status($process)['pid'];
    $writer === 'gcore' && exec("cd $folder/gcore && gcore -o core $number 2>&1");
    proc_terminate($process, 6);
    ended($process);
    $cores = glob("$folder/$writer/core*");
    [$dump, $errors] = xhprof('dump', '--core', $cores[0] ?? '', $php);
    $stack = "  sleep\n  {closure:[^\n]*crash\.php:2}  [^\n]*crash\.php:2\n  inner  [^\n]*crash\.php:4\n  outer  [^\n]*crash\.php:2\n  run_init::[^\n]*crash\.php:6\n";
    check("dump --core, $writer", preg_match("~^Process $number, PHP [\\d.]+\\S*, cli: .*crash\\.php\n$stack$~", $dump) === 1, $dump . $errors);
    [, $errors, $status] = xhprof('dump', '--core', $cores[0] ?? '', $program);
    check("dump --core with another binary, $writer", $status === 1 && $errors !== '');
}
$is_kernels || $gcore !== '' || print "no core file can be made here, so none is read\n";

// A container: another root folder, where PHP has another place, and another namespace of processes.
if (posix_user() === 0 && exec('unshare --mount --pid --fork true 2>&1', $said, $status) === '' && $status === 0) {
    $root = "$folder/root";
    exec('mkdir -p ' . implode(' ', array_map(fn ($name) => "$root/$name", ['usr/local/bin', 'app', 'dev', 'tmp'])));
    copy($php, "$root/usr/local/bin/php");
    chmod("$root/usr/local/bin/php", 0755);
    exec('ldd ' . escapeshellarg($php) . " | grep -o '/[^ ]*' | xargs -I{} cp -L --parents {} $root");
    file_put_contents("$root/app/loop.php", "<?php\nfunction spin() { for (;;) { md5('x'); } }\nspin();\n");
    $unshare = start(['unshare', '--mount', '--pid', '--fork', '--kill-child', "--root=$root", '/usr/local/bin/php', '-n', '/app/loop.php'], "$folder/out");
    usleep(500_000);
    $parent = proc_get_status($unshare)['pid'];
    $number = trim((string) file_get_contents("/proc/$parent/task/$parent/children"));
    [$dump, $errors] = xhprof('dump', $number);
    check('dump of a container', preg_match('~^  spin  /app/loop\.php:2$~m', $dump) === 1, $dump . $errors);
    $id = str_repeat('0123456789abcdef', 4);
    file_put_contents("$folder/config.v2.json", json_encode(['ID' => $id, 'Name' => '/attach-web', 'State' => ['Pid' => (int) $number]]));
    $files = "/var/lib/docker/containers/$id";
    $inside = "mount -t tmpfs none /var/lib && mkdir -p $files && cp $folder/config.v2.json $files && exec " . escapeshellarg($program) . ' attach --duration 500ms --collapsed --container';
    exec('unshare --mount sh -c ' . escapeshellarg("$inside attach-web") . ' 2>&1', $lines_of_container, $status);
    check('attach --container', $status === 0 && preg_grep('/^main\(\);spin(;md5)? \d+$/', $lines_of_container, PREG_GREP_INVERT) === [], implode("\n", $lines_of_container));
    check('samples of a container', $lines_of_container !== []);
    exec('unshare --mount sh -c ' . escapeshellarg("$inside other") . ' 2>&1', $lines_of_none, $status);
    check('attach --container without one', $status === 1 && str_contains(implode("\n", $lines_of_none), 'no container other runs'), implode("\n", $lines_of_none));
    proc_terminate($unshare);
    ended($unshare);
} else {
    echo "no namespaces can be made here, so no container is read\n";
}

// php-fpm under load: its workers end after 20 requests, and some are killed.
if ($fpm !== '-') {
    file_put_contents("$folder/index.php", "<?php\n" . tree() . 'for ($x = 1, $end = hrtime(true) + 10e6; hrtime(true) < $end;) { $x = t($x); } strlen($_SERVER["REQUEST_URI"]); echo "answer";');
    // A pool with a name of its own: other tests may run a php-fpm, too.
    $pool = 'attach-' . getmypid();
    $user = posix_user() === 0 ? 'user = root' : '';
    $server = new FpmServer($fpm, $folder, [], 1, pool: "[$pool]\n$user\nlisten = $folder/pool\npm = static\npm.max_children = 3\npm.max_requests = 20");
    $load = start([PHP_BINARY, '-n', __DIR__ . '/load.php', "$folder/pool", "$folder/index.php", (string) ($seconds + 3), $pool], "$folder/load");
    usleep(200_000);
    [$lines, $errors, $status] = xhprof('attach', '--fpm', $pool, '--duration', "{$seconds}s", '--rate', '499', '--collapsed');
    check('attach --fpm', $status === 0, $errors);
    $samples = 0;
    $wrong = impossible(preg_replace('/^main\(\);load::\S+ \d+$/m', '', $lines), $samples);
    check('no impossible stack of php-fpm', $wrong === [], implode(' | ', array_slice($wrong, 0, 3)));
    check('samples of php-fpm', $samples > 100 * $seconds, (string) $samples);
    echo "php-fpm: $samples samples\n";
    [$top] = xhprof('top', '--fpm', $pool, '--duration', '1s');
    check('top --fpm', preg_match('/^\d process.*\n\n.*\n(.*\n)*.* t_\d/', $top) === 1, $top);
    // Between two requests there is none, so it is tried again.
    for ($try = 0, $has_request = false; $try < 50 && !$has_request; $try++) {
        [$dump] = xhprof('dump', '--fpm', $pool);
        $has_request = preg_match("/^Process \d+, PHP [\d.]+\S*, fpm-fcgi, .*: php-fpm: pool $pool, GET \/route\/42$/m", $dump) === 1 && !str_contains($dump, 'secret');
    }
    check('dump --fpm, with a request', $has_request, $dump);
    check('the load of php-fpm', ended($load) === 0, file_get_contents("$folder/load"));
    unset($server);
}

// What cannot be read is refused with the reason.
$sleep = proc_open(['sleep', '30'], [], $pipes);
$number = (string) proc_get_status($sleep)['pid'];
[, $errors, $status] = xhprof('attach', $number);
check('a process without PHP', $status === 1 && str_contains($errors, 'it runs no PHP'), $errors);
if (posix_user() === 0 && is_executable('/usr/bin/setpriv')) {
    exec('/usr/bin/setpriv --reuid=65534 --clear-groups ' . escapeshellarg($program) . " dump $number 2>&1", $lines_of_other, $status);
    $text = implode("\n", $lines_of_other);
    check('a process of another user', $status !== 0 && (str_contains($text, 'it belongs to user 0') || str_contains($text, 'ermission denied')), $text);
}
proc_terminate($sleep);
[, $errors, $status] = xhprof('dump', '4194303');
check('a process that is gone', $status === 1 && str_contains($errors, 'there is no such process'), $errors);

function posix_user(): int
{
    return (int) trim((string) shell_exec('id -u'));
}

echo $failed ? "$failed wrong\n" : "attach: all right\n";
exit($failed ? 1 : 0);
