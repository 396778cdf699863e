<?php

/**
 * Which processes, what calls wait for, core files, and containers: `xhprof attach --native`, `dump --core`, `attach --container`.
 *
 *     php -n places.php PHP PROGRAM
 */

require __DIR__ . '/tools.php';

[, $php, $program] = $argv;

// Which processes: children of commands, those of a name, all.
$name = 'chosen-' . getmypid();
file_put_contents("$folder/$name.php", <<<'PHP'
    <?php
    function parent_waits($php) { exec(escapeshellarg($php) . ' -n ' . __FILE__ . ' child'); }
    function child_works() { for (;;) { md5('x'); } }
    isset($argv[1]) && $argv[1] === 'child' ? child_works() : parent_waits($argv[1]);
    PHP);
$process = start([$php, '-n', "$folder/$name.php", $php], "$folder/out");
usleep(400_000);
$number = (string) proc_get_status($process)['pid'];
foreach (
    [
    'PID' => [[$number], ['parent_waits'], ['child_works']], '--children' => [[$number, '--children'], ['parent_waits', 'child_works'], []],
    '--name' => [['--name', "$name\\.php child$"], ['child_works'], ['parent_waits']], '--all' => [['--all'], ['parent_waits', 'child_works'], []],
    ] as $how => [$arguments, $there, $absent]
) {
    [$lines, $errors] = xhprof('attach', '--duration', '500ms', '--collapsed', ...$arguments);
    foreach ($there as $function) {
        check("$how, $function", str_contains($lines, "main();$function"), $lines . $errors);
    }
    foreach ($absent as $function) {
        check("$how, no $function", !str_contains($lines, $function), $lines . $errors);
    }
}
[, $errors, $status] = xhprof('attach', '--name', 'no such process', '--duration', '100ms');
check('--name without a process', $status === 1 && str_contains($errors, 'no PHP process was found'), $errors);
foreach (explode(' ', trim((string) file_get_contents("/proc/$number/task/$number/children"))) as $shell) {
    // The shell of exec(), which may have become PHP.
    exec("kill $(cat /proc/$shell/task/$shell/children) $shell 2>&1");
}
ended($process);

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
    // unshare ignores SIGTERM.
    proc_terminate($unshare, 9);
    ended($unshare);
} else {
    echo "no namespaces can be made here, so no container is read\n";
}

finish('processes, waits, core files, containers');
