<?php

/**
 * Starts `xhprof serve` on a loopback port, sends it profiles that the extension made,
 * and reads its answers.
 *
 *     php -n serve.php EXTENSION PROGRAM [NGINX]
 *
 * With root's permissions it also fills a small disk. With nginx it sends requests through
 * packaging/nginx/xhprof.conf, and with Debian's php-tideways it takes a run that another
 * profiler saved. It says what is missing.
 *
 * Each server ends by SIGTERM, by its own process id, also if this program fails.
 */

[, $extension, $program] = $argv;
$nginx = $argv[3] ?? '';
[$extension, $program] = [realpath($extension), realpath($program)];
$failed = false;

function check(string $what, mixed $found, mixed $expected): void
{
    global $failed;
    if ($found !== $expected) {
        $failed = true;
        echo "FAILED: $what: ", json_encode($found), ' instead of ', json_encode($expected), "\n";
    }
}

/** Runs a command; returns its output, errors included, and its status. */
function run(array $command, array $environment = []): array
{
    $process = proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes, null, $environment + getenv());
    $output = stream_get_contents($pipes[1]);
    return [$output, proc_close($process)];
}

/** A request; returns the status and the body. */
function request(string $method, string $url, array $headers = [], string $body = ''): array
{
    if (!preg_grep('~^Content-Type:~i', $headers)) {
        $headers[] = 'Content-Type: application/octet-stream';
    }
    $options = ['method' => $method, 'header' => $headers, 'content' => $body, 'ignore_errors' => true, 'follow_location' => 0, 'timeout' => 30];
    $body = file_get_contents($url, false, stream_context_create(['http' => $options]));
    return [(int) explode(' ', $http_response_header[0] ?? ' 0')[1], $body];
}

/** Waits up to 30 seconds; returns whether it happened. */
function happens(callable $what): bool
{
    for ($end = microtime(true) + 30; microtime(true) < $end; usleep(50_000)) {
        if ($what()) {
            return true;
        }
    }
    return false;
}

/** Starts a server; returns its process, and its address from its first line. */
function server(string $program, string $folder, array $options): array
{
    if (!in_array('--store', $options, true)) {
        array_push($options, '--store', "$folder/store");
    }
    $command = [$program, 'serve', '--listen', '127.0.0.1:0', ...$options];
    $process = proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], ['file', "$folder/log", 'a']], $pipes);
    register_shutdown_function(fn () => is_resource($process) && proc_terminate($process, SIGKILL));
    $address = rtrim((string) fgets($pipes[1]), "/\n");
    return [$process, $address, $pipes];
}

/** Ends a server; returns its status. */
function stop($process): int
{
    proc_terminate($process, SIGTERM);
    $status = null;
    happens(function () use ($process, &$status) {
        $state = proc_get_status($process);
        $status = $state['running'] ? null : $state['exitcode'];
        return $status !== null;
    });
    if ($status === null) {
        proc_terminate($process, SIGKILL);
    }
    proc_close($process);
    return $status ?? -1;
}

defined('SIGTERM') || define('SIGTERM', 15);
defined('SIGKILL') || define('SIGKILL', 9);
$folder = sys_get_temp_dir() . '/xhprof-serve-' . bin2hex(random_bytes(8));
mkdir("$folder/watched", 0700, true);
file_put_contents("$folder/page.php", '<?php
function price(int $product): int { usleep(1000); return $product * 3; }
xhprof_tag("app", "shop");
xhprof_tag("release", "7");
array_sum(array_map(price(...), range(1, 5)));
');
$profiled = fn (string $directory) => run([PHP_BINARY, '-n', '-d', "extension=$extension", '-d', 'xhprof.auto_enable=1', '-d', "xhprof.output_dir=$directory", "$folder/page.php"]);

// Two profiles by the extension: one is pushed, one is written into a watched folder.
mkdir("$folder/made", 0700);
[$output, $status] = $profiled("$folder/made");
check("the profiled program says: $output", $status, 0);
$made = glob("$folder/made/*.xhp");
check('the files that the extension wrote', count($made), 1);

[$token] = run([$program, 'serve', '--token-file', "$folder/tokens", '--add-token', 'ci:read,write:shop']);
$token = strtok($token, "\n");
file_put_contents("$folder/token", $token);
[$process, $address] = server($program, $folder, ['--token-file', "$folder/tokens", '--watch', "$folder/watched"]);
check("the address in $address", preg_match('~^http://127\.0\.0\.1:\d+$~', $address), 1);
$login = ["Authorization: Bearer $token"];
check('healthz', request('GET', "$address/healthz"), [200, "ok\n"]);
check('the list, without a token', request('GET', "$address/api/v1/runs")[0], 401);
check('another name', request('GET', "$address/healthz", ['Host: evil.example.com'])[0], 421);
check('a page elsewhere', request('POST', "$address/api/v1/runs", [...$login, 'Origin: http://evil.example.com'])[0], 403);

$push = [$program, 'push', $made[0], '--to', $address];
[$output, $status] = run($push);
check('a push without a token', [$status !== 0, str_contains($output, '401')], [true, true]);
foreach ([1, 2] as $time) {
    [$output, $status] = run([...$push, '--token-file', "$folder/token"]);
    check("push $time says: $output", $status, 0);
}
$runs = fn (string $filter) => json_decode(request('GET', "$address/api/v1/runs?q=" . rawurlencode($filter), $login)[1], true)['runs'];
check('runs after two pushes of one file', count($runs('release:7')), 1);
$run = $runs("release:7")[0];
check('its application and release', [$run['app'], $run['release']], ['shop', '7']);
[$status, $file] = request('GET', "$address/api/v1/runs/{$run['id']}/file", $login);
file_put_contents("$folder/back.xhp", $file);
[$report] = run([$program, 'report', "$folder/back.xhp"]);
check('the calls of price() in its file', preg_match('/^ *5 .*\bprice$/m', $report), 1);
[$status, $page] = request('GET', "$address/run/{$run['id']}", $login);
check('the page of the viewer, which has no data in it', [$status, str_contains($page, '<div id="app"'), str_contains($page, 'price')], [200, true, false]);

php_profiler($address, $token);

$profiled("$folder/watched");
check('the watched folder: 3 runs', happens(fn () => count($runs('')) === 3), true);
check('its file is removed', happens(fn () => glob("$folder/watched/*.xhp") === []), true);

[$output, $status] = run([$program, 'serve', '--listen', '127.0.0.1:0', '--store', "$folder/store"]);
check("a second server on the store says: $output", [$status !== 0, str_contains($output, 'store')], [true, true]);
check('the first one still answers', request('GET', "$address/healthz")[0], 200);
check('its end by SIGTERM', stop($process), 0);

[$output, $status] = run([$program, 'store', '--store', "$folder/store", 'verify']);
check("verify says: $output", [$status, str_contains($output, '3 runs')], [0, true]);

saved_runs();
full_disk();
behind_nginx();

if ($failed) {
    echo "its log:\n", file_get_contents("$folder/log");
} else {
    echo "xhprof serve: login, upload, list, viewer, watched folder, second server, end, saved runs, full disk, nginx: ok\n";
}
exec('rm -r ' . escapeshellarg($folder));
exit($failed ? 1 : 0);

/** The requests of perftools/php-profiler, whose Xhgui\Profiler\Saver\UploadSaver cannot be installed here. */
function php_profiler(string $address, string $token): void
{
    $profile = ['main()' => ['ct' => 1, 'wt' => 5000, 'cpu' => 4000, 'mu' => 900, 'pmu' => 1200], 'main()==>load' => ['ct' => 3, 'wt' => 4000, 'cpu' => 3000, 'mu' => 800, 'pmu' => 900]];
    $now = microtime(true);
    $meta = [
        'url' => '/article/7?page=2', 'get' => ['page' => '2'], 'env' => [], 'simple_url' => '/article/7',
        'SERVER' => ['REQUEST_TIME' => (int) $now, 'REQUEST_TIME_FLOAT' => $now, 'HTTP_HOST' => 'shop.example.com', 'SERVER_NAME' => 'shop.example.com', 'REQUEST_METHOD' => 'GET'],
        'request_ts' => ['sec' => (int) $now, 'usec' => 0], 'request_ts_micro' => ['sec' => (int) $now, 'usec' => (int) (1e6 * fmod($now, 1))], 'request_date' => date('Y-m-d', (int) $now),
    ];
    $headers = ['Accept: application/json', 'Content-Type: application/json'];
    // Its addresses have `?&`.
    [$status, $answer] = request('POST', "$address/run/import?&token=$token", $headers, json_encode(['profile' => $profile, 'meta' => $meta]));
    $answer = json_decode($answer, true);
    check('what php-profiler takes for success', [$status, (bool) $answer, !empty($answer['error'])], [200, true, false]);
    [$status, $answer] = request('POST', "$address/run/import?&token=$token", $headers, '{}');
    check('what php-profiler takes for a failure', [$status, !empty(json_decode($answer, true)['error'])], [422, true]);
}

/** A folder of XHProf's saved runs, as Tideways' profiler makes it: each run once, and old links open them. */
function saved_runs(): void
{
    global $folder, $program;
    $save = "$folder/save.php";
    file_put_contents($save, '<?php
function work(int $n): int { return $n < 2 ? $n : work($n - 1) + work($n - 2); }
tideways_xhprof_enable(TIDEWAYS_XHPROF_FLAGS_CPU | TIDEWAYS_XHPROF_FLAGS_MEMORY);
work((int) $argv[1]);
$id = uniqid();
file_put_contents("$argv[2]/$id.shop.xhprof", serialize(tideways_xhprof_disable()));
echo $id;
');
    mkdir("$folder/saved");
    $ids = [];
    foreach ([5, 7] as $depth) {
        [$id, $status] = run([PHP_BINARY, '-n', '-d', 'extension=tideways_xhprof', $save, (string) $depth, "$folder/saved"]);
        if ($status) {
            echo "no run of another profiler was tried: php-tideways is not installed\n";
            return;
        }
        $ids[] = $id;
    }
    [$process, $address] = server($program, $folder, []);
    foreach ([1, 2] as $time) {
        [$output, $status] = run([$program, 'push', "$folder/saved", '--to', $address]);
        check("push $time of the folder says: $output", [$status, substr_count($output, $time === 1 ? ': stored, ' : ': already there, ')], [0, 2]);
    }
    $found = array_column(json_decode(request('GET', "$address/api/v1/runs?q=tag.xhprof_source:shop")[1], true)['runs'], null, 'id');
    check('runs of the folder', count($found), 2);
    foreach ($ids as $id) {
        $place = location("$address/index.php?run=$id&source=shop");
        $run = $found[substr($place, strlen('/run/'))] ?? null;
        check("the link of $id to $place", in_array(['xhprof_run', $id], $run['tags'] ?? [], true), true);
        check('its start, at most a minute ago', abs($run['started_us'] / 1e6 - time()) < 60, true);
        check('its page', request('GET', $address . $place)[0], 200);
    }
    check('the comparison', request('GET', $address . location("$address/index.php?run1=$ids[0]&run2=$ids[1]&source=shop"))[0], 200);
    stop($process);
}

/** The place that a link leads to. */
function location(string $url): string
{
    $context = stream_context_create(['http' => ['follow_location' => 0, 'ignore_errors' => true]]);
    $answer = implode("\n", get_headers($url, false, $context));
    return preg_match('~^location: (.*)$~im', $answer, $found) ? trim($found[1]) : $answer;
}

/** A store on a disk that gets full: senders get 507, nothing is torn, and with room it goes on. */
function full_disk(): void
{
    global $folder, $program, $made;
    $disk = "$folder/disk";
    mkdir($disk);
    exec('mount -t tmpfs -o size=2m,mode=0700 xhprof-test ' . escapeshellarg($disk) . ' 2>&1', $output, $status);
    if ($status) {
        echo 'no file system can be mounted here, so a full disk was not tried: ', implode(' ', $output), "\n";
        return;
    }
    $unmount = fn () => exec('umount ' . escapeshellarg($disk) . ' 2>/dev/null');
    register_shutdown_function($unmount);
    [$process, $address] = server($program, $folder, ['--store', "$disk/store"]);
    $file = file_get_contents($made[0]);
    $send = fn (int $number) => request('POST', "$address/api/v1/runs", ["X-Xhprof-Tag: number=$number", 'X-Xhprof-Route: /' . $number % 50], $file)[0];
    for ($number = 0; $number < 3000 && ($status = $send($number)) === 201; $number++);
    check("the answer when the disk is full, after $number runs", $status, 507);
    check('the server works on', [request('GET', "$address/healthz")[0], request('GET', "$address/")[0]], [200, 200]);
    check('the runs in it', json_decode(request('GET', "$address/api/v1/stats")[1], true)['runs'], $number);
    exec('mount -o remount,size=8m ' . escapeshellarg($disk));
    check('the answer when there is room again', $send($number), 201);
    check('its end', stop($process), 0);
    [$output, $status] = run([$program, 'store', '--store', "$disk/store", 'verify']);
    check("verify of the disk that was full says: $output", [$status, str_contains($output, $number + 1 . ' runs')], [0, true]);
    $unmount();
}

/** The documented configuration of nginx, with other ports. */
function behind_nginx(): void
{
    global $folder, $program, $nginx, $made, $token, $login;
    if ($nginx === '' || !is_executable($nginx)) {
        echo "nginx is not installed, so packaging/nginx/xhprof.conf was not tried\n";
        return;
    }
    $options = ['--host', 'profiles.example.com', '--token-file', "$folder/tokens"];
    [$process, $address] = server($program, $folder, $options);
    $socket = stream_socket_server('tcp://127.0.0.1:0');
    $port = substr(strrchr(stream_socket_get_name($socket, false), ':'), 1);
    fclose($socket);
    $conf = file_get_contents(dirname(__DIR__, 4) . '/packaging/nginx/xhprof.conf');
    $conf = strtr($conf, ['listen 80;' => "listen 127.0.0.1:$port;", 'http://127.0.0.1:8470' => $address]);
    check('the ports of the configuration', substr_count($conf, $port) + substr_count($conf, $address), 2);
    $paths = '';
    foreach (['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'] as $name) {
        $paths .= "{$name}_temp_path $folder/nginx-$name;\n";
    }
    // Started by root, its workers would have another user, who may not enter the folder.
    $user = fileowner($folder) === 0 ? "user root;\n" : '';
    file_put_contents("$folder/nginx.conf", "{$user}daemon off;\npid $folder/nginx.pid;\nerror_log $folder/nginx.log;\nevents {}\nhttp {\naccess_log off;\n$paths$conf}\n");
    $proxy = proc_open([$nginx, '-c', "$folder/nginx.conf", '-e', "$folder/nginx.log"], [['file', '/dev/null', 'r'], ['file', "$folder/out", 'a'], ['file', "$folder/out", 'a']], $pipes);
    register_shutdown_function(fn () => is_resource($proxy) && proc_terminate($proxy));
    happens(fn () => @stream_socket_client("tcp://127.0.0.1:$port"));
    $host = 'Host: profiles.example.com';
    check('healthz behind nginx', request('GET', "http://127.0.0.1:$port/healthz", [$host]), [200, "ok\n"]);
    check('a page without a token behind nginx', request('GET', "http://127.0.0.1:$port/", [$host, 'Accept: text/html'])[0], 303);
    check('an upload behind nginx', request('POST', "http://127.0.0.1:$port/api/v1/runs", [$host, ...$login], file_get_contents($made[0]))[0], 201);
    // Larger than nginx's own limit of 1 MiB: the server reads it, and finds no profile.
    check('a large upload behind nginx', request('POST', "http://127.0.0.1:$port/api/v1/runs", [$host, ...$login], random_bytes(3 << 20))[0], 422);
    check('a page of another name', request('GET', "http://127.0.0.1:$port/healthz", ['Host: evil.example.com'])[0], 421);
    check('a change of another site', request('POST', "http://127.0.0.1:$port/api/v1/runs", [$host, ...$login, 'Origin: http://evil.example.com'], 'x')[0], 403);
    check('a change of a page of ours', request('POST', "http://127.0.0.1:$port/api/v1/runs", [$host, ...$login, 'Origin: http://profiles.example.com'], file_get_contents($made[0]))[0], 201);
    proc_terminate($proxy);
    proc_close($proxy);
    stop($process);
}
