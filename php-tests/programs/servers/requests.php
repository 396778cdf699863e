<?php

/**
 * Tests automatic profiles of a server's requests: which requests are profiled, the
 * names and contents of the files, and that no answer changes.
 *
 *     php -n requests.php EXTENSION PHP-FPM|- PROGRAM|- [nginx=FILE] [apache=FOLDER] [php-cgi=FILE]
 *
 * Tests php-fpm (by FastCGI) and the built-in server. If they are given, it also tests
 * php-fpm behind nginx, Apache (FOLDER has its unpacked packages), and CGI. PROGRAM
 * reads the files of a killed worker.
 */

require __DIR__ . '/servers.php';
require __DIR__ . '/decisions.php';

const APPLICATION = <<<'PHP'
    <?php
    function work() { return leaf(); }
    function leaf() { return 'body'; }
    set_error_handler(function () { echo 'error handler called'; });
    if (isset($_GET['calls'])) { for ($i = 0; $i < $_GET['calls']; $i++) leaf(); }
    if (isset($_GET['wait'])) { usleep(1000 * $_GET['wait']); }
    if (isset($_GET['tag'])) { xhprof_tag('route', $_GET['tag']); }
    switch ($_GET['fail'] ?? '') {
        case 'exception': ob_start(); throw new Exception('thrown');
        case 'fatal': ob_start(); restore_error_handler(); trigger_error('fatal', E_USER_ERROR);
        case '503': http_response_code(503); break;
        case '404': http_response_code(404); break;
    }
    echo work();
    // Taken and given back again: the peak is above what is in use at the end.
    if (isset($_GET['peak'])) { str_repeat('x', 8 << 20); echo memory_get_peak_usage(); }
    PHP;

/** The parts of a file's name for script and server. */
const SAPIS = [
    'php-fpm' => 'application-fpm-fcgi', 'nginx' => 'application-fpm-fcgi', 'built-in server' => '\w+-cli-server',
    'apache' => 'application-apache2handler', 'php-cgi' => 'application-cgi-fcgi',
];

const SECRET = 'pa ss+%41;x';

[, $extension, $fpm, $program] = $argv;
$others = ['nginx' => null, 'apache' => null, 'php-cgi' => null];
foreach (array_slice($argv, 4) as $other) {
    [$name, $path] = explode('=', $other, 2);
    $others[$name] = $path;
}
['nginx' => $nginx, 'apache' => $apache, 'php-cgi' => $cgi] = $others;
$folder = sys_get_temp_dir() . '/xhprof-web-' . getmypid();
foreach ([$folder, "$folder/profiles"] as $it) {
    mkdir($it);
    // A server's processes may run as another user.
    chmod($it, 0777);
}
file_put_contents("$folder/application.php", APPLICATION);
$failed = $checks = 0;

function check(string $what, mixed $found, mixed $expected): void
{
    global $failed, $checks, $kind;
    $checks++;
    if ($found !== $expected) {
        $failed++;
        echo "$kind: $what: ", json_encode($found, JSON_PARTIAL_OUTPUT_ON_ERROR), ' instead of ', json_encode($expected), "\n";
    }
}

/** The files that were written since the last call, by name. */
function profiles(): array
{
    global $folder;
    $found = [];
    foreach (scandir("$folder/profiles") as $name) {
        $file = "$folder/profiles/$name";
        if (is_file($file) && !preg_match('/^\.xhprof-\d+\.ledger$/', $name)) {
            $found[$name] = file_get_contents($file);
            unlink($file);
        }
    }
    return $found;
}

/** The lines of PHP's log since the last call. */
function logged(): array
{
    global $folder;
    $lines = is_file("$folder/log.php") ? file("$folder/log.php") : [];
    @unlink("$folder/log.php");
    return $lines;
}

function ask(string $target = '/application.php', array $headers = []): string
{
    global $web;
    return $web->read($web->send($target, $headers));
}

function body(string $answer): string
{
    return explode("\r\n\r\n", $answer, 2)[1] ?? '';
}

/** Stops the last server and starts one of this kind with these settings. */
function serve(array $settings, int $workers = 1): void
{
    global $web, $kind, $folder, $fpm, $extension, $nginx, $apache, $cgi;
    if (isset($web)) {
        $web->stop();
    }
    profiles();
    array_map(unlink(...), glob("$folder/profiles/.xhprof-*"));
    logged();
    $settings += [
        'extension' => $extension, 'xhprof.output_dir' => "$folder/profiles", 'error_log' => "$folder/log.php",
        'log_errors' => '1', 'display_errors' => '1', 'html_errors' => '0', 'auto_globals_jit' => '1',
    ];
    $web = match ($kind) {
        'php-cgi' => new Cgi($cgi, $folder, $settings),
        'apache' => new Http(fn (int $port) => apache_command($apache, $folder, $settings, $port, $workers), $folder),
        'php-fpm' => new Fpm($fpm, $folder, $settings, $workers),
        'built-in server' => new Http(function (int $port) use ($settings, $folder) {
            $command = [PHP_BINARY, '-n'];
            foreach ($settings as $name => $value) {
                array_push($command, '-d', "$name=$value");
            }
            // This script answers all requests.
            return [...$command, '-S', "127.0.0.1:$port", "$folder/application.php"];
        }, $folder),
        'nginx' => (function () use ($settings, $folder, $fpm, $nginx, $workers) {
            $behind = new FpmServer($fpm, $folder, $settings, $workers);
            return new Http(function (int $port) use ($folder, $nginx, $behind) {
                $own = implode(' ', array_map(fn ($it) => "{$it}_temp_path $folder/$it;", ['client_body', 'fastcgi', 'proxy', 'uwsgi', 'scgi']));
                file_put_contents("$folder/nginx.conf", <<<CONF
                    daemon off; pid $folder/nginx.pid; error_log $folder/nginx.log; worker_processes 1;
                    events { }
                    http { access_log off; $own
                        server { listen 127.0.0.1:$port; location / {
                            fastcgi_param SCRIPT_FILENAME $folder/application.php;
                            fastcgi_param SCRIPT_NAME /application.php;
                            fastcgi_param REQUEST_METHOD \$request_method;
                            fastcgi_param REQUEST_URI \$request_uri;
                            fastcgi_param QUERY_STRING \$query_string;
                            fastcgi_param SERVER_PROTOCOL \$server_protocol;
                            fastcgi_param HTTP_HOST \$http_host;
                            fastcgi_pass unix:{$behind->socket};
                        } } }
                    CONF);
                return [$nginx, '-c', "$folder/nginx.conf", '-e', "$folder/nginx.log"];
            }, $folder, $behind);
        })(),
    };
}

/** How often a message is logged in that many requests: once a process. */
function once(string $kind, int $requests): int
{
    return $kind === 'php-cgi' ? $requests : 1;
}

/** A ticket as `xhprof serve` makes it, which ends in so many seconds. */
function ticket(string $secret, int $seconds): string
{
    $text = 'ticket-' . (time() + $seconds) . '-';
    return $text . hash_hmac('sha256', $text, $secret);
}

function which_requests(): void
{
    global $kind;
    $trigger = ['xhprof.auto_enable' => 'trigger', 'xhprof.trigger' => 'X-Profile'];
    serve($trigger + ['xhprof.trigger_secret' => '"' . SECRET . '"']);
    $encoded = rawurlencode(SECRET);
    foreach (
        [
        'nothing' => ['', [], 0],
        'the header' => ['', ['X-Profile' => SECRET], 1],
        'the header in small letters' => ['', ['x-profile' => SECRET], 1],
        'the cookie' => ['', ['Cookie' => "a=b; X-Profile=$encoded; c=d"], 1],
        'the query' => ["?a=b&X-Profile=$encoded", [], 1],
        'the query with plus' => ['?X-Profile=' . urlencode(SECRET) . '&a', [], 1],
        'a wrong one before the right one' => ["?X-Profile=wrong&X-Profile=$encoded", [], 1],
        'a wrong header and the right cookie' => ['', ['X-Profile' => 'wrong', 'Cookie' => "X-Profile=$encoded"], 1],
        'a wrong header' => ['', ['X-Profile' => 'wrong'], 0],
        'a longer one' => ['', ['X-Profile' => SECRET . SECRET], 0],
        'a longer query' => ["?X-Profile=$encoded$encoded", [], 0],
        'a shorter one' => ['', ['X-Profile' => substr(SECRET, 0, -1)], 0],
        'an empty one' => ['?X-Profile=', ['X-Profile' => '', 'Cookie' => 'X-Profile'], 0],
        'another name' => ["?X-Profiles=$encoded&x-profile=$encoded", ['X-Profiles' => SECRET, 'Cookie' => "XX-Profile=$encoded"], 0],
        'the raw one in a query' => ['?X-Profile=%ff%zz%4', [], 0],
        'a ticket' => ['?X-Profile=' . ticket(SECRET, 50), [], 1],
        'a ticket that ended' => ['?X-Profile=' . ticket(SECRET, -2), [], 0],
        'a ticket for tomorrow' => ['?X-Profile=' . ticket(SECRET, 86400), [], 0],
        'a ticket of another secret' => ['?X-Profile=' . ticket('another', 50), [], 0],
        ] as $what => [$query, $headers, $expected]
    ) {
        check("the answer with $what", body(ask("/application.php$query", $headers)), 'body');
        check("profiles with $what", count(profiles()), $expected);
    }
    $lines = logged();
    check('lines in the log about wrong secrets', count(preg_grep('/with a wrong secret/', $lines)), once($kind, 8));
    check('other lines in the log with a secret', preg_grep('/with a wrong secret/', $lines, PREG_GREP_INVERT), []);

    serve($trigger);
    foreach (['', '?X-Profile=', '?X-Profile=1'] as $query) {
        check('the answer without a secret', body(ask("/application.php$query", ['X-Profile' => ''])), 'body');
    }
    check('profiles without a secret', count(profiles()), 0);
    check('lines in the log without a secret', preg_match_all('/xhprof\.trigger_secret/', implode(logged())), once($kind, 3));

    serve(['xhprof.auto_enable' => '1', 'xhprof.match' => '"example.com/blog/*, */about, /shop/*, !*/blog/private*, !/shop/health"']);
    foreach (
        [
        ['/blog/', 'example.com', 1], ['/blog/a/b?x=/about', 'EXAMPLE.com:8080', 1], ['/about', 'other.org', 1], ['/blog', 'example.com', 0],
        ['/blog/private/x', 'example.com', 0], ['/blog/', 'other.org', 0], ['/x?example.com/blog/', 'other.org', 0], ['/about?x', '[::1]', 1],
        ['/', '', 0], ['/shop/x', 'any.org', 1], ['/a/shop/x', 'any.org', 0], ['/shop/health', 'any.org', 0],
        ] as [$path, $host, $expected]
    ) {
        ask($path, ['Host' => $host]);
        check("profiles of $host$path", count(profiles()), $expected);
    }

    serve(['xhprof.auto_enable' => '1', 'xhprof.rate' => '0.5']);
    for ($i = 0; $i < 60; $i++) {
        ask();
    }
    $count = count(profiles());
    check("$count of 60, half of them by chance", $count > 0 && $count < 60, true);

    serve(['xhprof.auto_enable' => '1', 'xhprof.max_per_minute' => '3']);
    $minute = intdiv(time(), 60);
    for ($i = 0; $i < 10; $i++) {
        ask();
    }
    $count = count(profiles());
    check("$count of 10 with three a minute", $count === 3 || $minute !== intdiv(time(), 60), true);
}

function what_is_kept(): void
{
    global $folder;
    serve(['xhprof.auto_enable' => '1', 'xhprof.min_duration' => '3600000']);
    foreach (['' => 0, 'exception' => 1, 'fatal' => 1, '503' => 1, '404' => 0, '?' => 0] as $how => $expected) {
        ask("/application.php?fail=$how");
        check("profiles after $how", count(profiles()), $expected);
    }
    serve(['xhprof.auto_enable' => '1', 'xhprof.capture' => 'X-Request-Id,lang,page', 'xhprof.output_format' => 'native']);
    ask('/application.php?page=seven&token=unwanted1&tag=show', ['Host' => 'example.com', 'X-Request-Id' => 'id-123', 'Cookie' => 'lang=de%2Dat; session=unwanted2', 'Authorization' => 'unwanted3']);
    $content = implode(profiles());
    foreach (['query.page', 'seven', 'header.X-Request-Id', 'id-123', 'cookie.lang', 'de-at', 'GET show', '/application.php', "$folder/application.php", 'route', 'show', 'status', '200'] as $text) {
        check("$text in the profile", str_contains($content, $text), true);
    }
    foreach (['unwanted1', 'unwanted2', 'unwanted3', 'token', 'session', 'Authorization', 'page=', '?page'] as $text) {
        check("$text in the profile", str_contains($content, $text), false);
    }
    $trace = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    foreach (["00-$trace[0]-$trace[1]-01" => true, "00-$trace[0]-$trace[1]" => false, "ff-$trace[0]-$trace[1]-01" => false] as $header => $expected) {
        ask('/application.php', ['traceparent' => $header]);
        $content = implode(profiles());
        foreach (['trace_id', 'span_id', ...$trace] as $text) {
            check("$text in the profile of $header", str_contains($content, $text), $expected);
        }
    }
    peak_memory();
    // A request does not have the tags of the request before.
    ask();
    check('the tag of another request', str_contains(implode(profiles()), 'show'), false);
}

/** The metadata have PHP's own peak, which is no growth and no tag. */
function peak_memory(): void
{
    global $folder, $program;
    if ($program === '-') {
        return;
    }
    $peak = (int) substr(body(ask('/application.php?peak=1')), strlen('body'));
    file_put_contents("$folder/peak.xhp", implode(profiles()));
    $report = json_decode((string) shell_exec(escapeshellarg($program) . ' report --json ' . escapeshellarg("$folder/peak.xhp")), true);
    unlink("$folder/peak.xhp");
    $found = $report['meta']['peak_memory_bytes'] ?? null;
    check('the size of the peak', $peak > 8 << 20, true);
    // Writing the answer takes some more.
    check("the peak of $peak bytes, in the profile " . json_encode($found), $found >= $peak && $found < $peak + (1 << 20), true);
}

function routes_are_few(): void
{
    global $kind;
    foreach (['tree', 'events'] as $mode) {
        serve(['xhprof.auto_enable' => '1', 'xhprof.mode' => $mode, 'xhprof.output_name' => '%R']);
        $answer = ask('/application.php/articles/4711/edit?id=7');
        // Not every server passes on the path after a script.
        if (!str_contains(strtok($answer, "\r\n"), ' 404 ')) {
            $profiles = profiles();
            check("the name by route, $mode", array_keys($profiles), ['application_php_articles___edit.xhp']);
            check("the title by route, $mode", str_contains(current($profiles) ?: '', 'GET /application.php/articles/?/edit'), true);
            check("the path, $mode", str_contains(current($profiles) ?: '', '/articles/4711/edit'), true);
        }
        ask('/application.php?calls=100000&tag=articles/{id}');
        $profiles = profiles();
        check("the name by tag, $mode", array_keys($profiles), ['articles__id_.xhp']);
        check("the title by tag, $mode", str_contains(current($profiles) ?: '', 'GET articles/{id}'), true);
    }
}

function names_stay_inside(): void
{
    global $folder, $kind;
    serve(['xhprof.auto_enable' => '1', 'xhprof.output_name' => '%H-%R-%s-%a']);
    foreach (
        [
        ['../../x', '/application.php'], ['/etc/passwd', '/../../../../tmp/xhprof-escaped'], ['..', '/..%2f..%2fx'], ["a\\..\\b", '/a/%00/b'],
        [str_repeat('h', 300), '/' . str_repeat('p', 3000)], ['.hidden', '//'], ['$(id)', '/`id`;rm%20-rf'], ["\xff\xfe", "/%c3%a9"], ['', '/application.php?../../y'],
        ] as [$host, $path]
    ) {
        $answer = ask($path, ['Host' => $host]);
        // nginx itself refuses some of them.
        $is_refused = str_starts_with($answer, 'HTTP/1.1 4') || str_starts_with($answer, 'HTTP/1.0 4');
        $names = array_keys(profiles());
        check("how many files for $host$path", $is_refused ? 1 : count($names), 1);
        foreach ($names as $name) {
            check("the name $name", preg_match('/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,190}-' . SAPIS[$kind] . '\.xhp$/', $name), 1);
        }
    }
    check('files beside the directory', array_diff(scandir($folder), ['.', '..', 'profiles', 'application.php', 'socket', 'fpm.conf', 'log', 'out', 'nginx.conf', 'nginx.log', 'nginx.pid', 'client_body', 'fastcgi', 'proxy', 'uwsgi', 'scgi', 'apache.conf', 'apache.log', 'apache.pid', 'ini', 'full']), []);
    check('a file in the folder of all', file_exists('/tmp/xhprof-escaped') || file_exists('/tmp/xhprof-escaped.xhp'), false);
}

function nobody_notices(): void
{
    global $folder, $kind;
    $full = full_disk();
    foreach (['tree', 'events'] as $mode) {
        // A folder where even root cannot create a file, and a full file system.
        foreach (array_filter(["$folder/not-there", '/proc', $full]) as $directory) {
            serve(['xhprof.auto_enable' => '1', 'xhprof.mode' => $mode, 'xhprof.output_dir' => $directory]);
            for ($i = 0; $i < 5; $i++) {
                check("the answer with $directory, $mode", body(ask('/application.php?calls=100000')), 'body');
            }
            $lines = logged();
            // With a process for each request, each request logs it.
            check("lines in the log, $mode: " . implode($lines), count($lines), once($kind, 5));
            check("the directory in the log, $mode: " . implode($lines), str_contains($lines[0] ?? '', "xhprof: cannot write the profile $directory/"), true);
        }
        if ($full) {
            check("files on a full disk, $mode", array_diff(scandir($full), ['.', '..', 'filling']), []);
        }
    }
    serve(['xhprof.auto_enable' => '1', 'xhprof.engine' => 'off']);
    check('the answer without an engine', body(ask()), 'body');
    check('lines in the log without an engine', count(logged()), 1);
    empty_disk($full);
}

/** Mounts a full file system, if permitted. */
function full_disk(): ?string
{
    global $folder;
    $full = "$folder/full";
    @mkdir($full);
    exec('mount -t tmpfs -o size=64k,mode=0777 xhprof-test ' . escapeshellarg($full) . ' 2>&1', $output, $status);
    if ($status) {
        echo 'no file system can be mounted here, so a full disk was not tried: ', implode(' ', $output), "\n";
        return null;
    }
    register_shutdown_function(empty_disk(...), $full);
    @file_put_contents("$full/filling", str_repeat('x', 1 << 20));
    return $full;
}

/** Unmounts it; does nothing if it is not mounted. */
function empty_disk(?string $full): void
{
    if ($full !== null) {
        exec('umount ' . escapeshellarg($full) . ' 2>/dev/null');
    }
}

function many_at_once(): void
{
    serve(['xhprof.auto_enable' => '1', 'xhprof.max_dir_size' => '1G', 'xhprof.max_per_minute' => '1000000'], 4);
    global $web;
    $count = 0;
    for ($round = 0; $round < 5; $round++) {
        $sent = [];
        for ($i = 0; $i < 20; $i++) {
            $sent[] = $web->send('/application.php?calls=500', ['Host' => "host$i"]);
        }
        foreach ($sent as $it) {
            $count += body($web->read($it)) === 'body' ? 1 : 0;
        }
    }
    check('answers to a hundred requests', $count, 100);
    // A request that finds the counter locked is not profiled, and does not wait.
    $count = count(profiles());
    check("$count profiles of a hundred requests", $count > 0 && $count <= 100, true);
    serve(['xhprof.auto_enable' => '1'], 4);
    $sent = [];
    for ($i = 0; $i < 100; $i++) {
        $sent[] = $web->send('/application.php?calls=500', []);
    }
    foreach ($sent as $it) {
        $web->read($it);
    }
    check('profiles without a counter', count(profiles()), 100);
}

function killed_while_writing(): void
{
    global $web, $program, $folder;
    foreach (['tree', 'events'] as $mode) {
        serve(['xhprof.auto_enable' => '1', 'xhprof.mode' => $mode, 'xhprof.output_name' => 'same'], 2);
        ask('/application.php?calls=200000');
        mt_srand(1);
        for ($i = 0; $i < 15; $i++) {
            $sent = $web->send('/application.php?calls=200000', []);
            usleep(mt_rand(0, 60_000));
            foreach ($web->server->workers() as $worker) {
                posix_kill($worker, 9);
            }
            $web->read($sent);
            usleep(20_000);
            // The old file or a new one, but complete.
            exec(escapeshellarg($program) . ' report --json ' . escapeshellarg("$folder/profiles/same.xhp") . ' 2>&1', $output, $status);
            check("a whole file after a worker was killed, $mode" . ($status ? implode($output) : ''), $status, 0);
            unset($output);
        }
        check("the answer after all that, $mode", body(ask()), 'body');
        $left = preg_grep('/^same(\.xhp|(\.[0-9a-f]{32})?\.xhp\.partial)$/', array_keys(profiles()), PREG_GREP_INVERT);
        check("what is left, $mode", $left, []);
    }
}

function reloaded(): void
{
    global $web;
    serve(['xhprof.auto_enable' => '1'], 2);
    $answers = $asked = 0;
    for ($i = 0; $i < 3; $i++) {
        $sent = [];
        for ($j = 0; $j < 2; $j++) {
            $sent[] = $web->send('/application.php?wait=200', []);
            $asked++;
        }
        usleep(50_000);
        posix_kill($web->server->process(), SIGUSR2);
        foreach ($sent as $it) {
            $answers += body($web->read($it)) === 'body' ? 1 : 0;
        }
        usleep(300_000);
        $asked++;
        $answers += body(ask()) === 'body' ? 1 : 0;
    }
    check('answers around three reloads', $answers, $asked);
    check('profiles around three reloads', count(profiles()), $asked);
}

function remove(string $folder): void
{
    foreach (array_diff(scandir($folder), ['.', '..']) as $name) {
        is_dir("$folder/$name") && !is_link("$folder/$name") ? remove("$folder/$name") : unlink("$folder/$name");
    }
    rmdir($folder);
}

$kinds = array_merge($fpm === '-' ? [] : ['php-fpm'], ['built-in server'], array_keys(array_filter($others)));
foreach ($kinds as $kind) {
    which_requests();
    what_was_decided();
    if ($kind === 'php-fpm') {
    }
    what_is_kept();
    routes_are_few();
    names_stay_inside();
    nobody_notices();
    if ($kind !== 'built-in server') {
        many_at_once();
    }
    if ($kind === 'php-fpm' && function_exists('posix_kill')) {
        if ($program !== '-') {
            killed_while_writing();
        }
        reloaded();
    }
}
$web->stop();
remove($folder);
echo implode(', ', $kinds), ": $checks checks, $failed of them failed\n";
exit($failed || !$checks ? 1 : 0);
