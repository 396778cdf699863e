<?php

/**
 * `xhprof attach`, `top` and `dump` on php-fpm under load: its workers end after 20 requests, some are killed or crash, and
 * the pool restarts. No stack may be one that the program cannot have.
 *
 *     php -n pools.php PHP PROGRAM PHP-FPM [SECONDS]
 *
 * 140 seconds take 100,000 samples of its three workers on two busy CPUs.
 */

require __DIR__ . '/tools.php';
require __DIR__ . '/../../../../php-tests/programs/servers/fpm-server.php';

[, , $program, $fpm] = $argv;
$seconds = (float) ($argv[4] ?? 4);

file_put_contents("$folder/index.php", "<?php\n" . tree() . 'for ($x = 1, $end = hrtime(true) + 10e6; hrtime(true) < $end;) { $x = t($x); } strlen($_SERVER["REQUEST_URI"]); echo "answer";');
// A pool with a name of its own: other tests may run a php-fpm, too.
$pool = 'attach-' . getmypid();
$user = posix_user() === 0 ? 'user = root' : '';
$server = new FpmServer($fpm, $folder, [], 1, pool: "[$pool]\n$user\nlisten = $folder/pool\npm = static\npm.max_children = 3\npm.max_requests = 20");
// The socket is there before the workers are.
for ($try = 0, $waiting = 0; $try < 100 && $waiting < 3; $try++) {
    [$dump, $errors] = xhprof('dump', '--fpm', $pool);
    $waiting = substr_count($dump, 'waits for a request');
}
check('workers that have served no request', $waiting === 3, $dump . $errors);
$load = start([PHP_BINARY, '-n', __DIR__ . '/load.php', "$folder/pool", "$folder/index.php", (string) ($seconds + 120), $pool, '3', '40', (string) $server->process()], "$folder/load");
usleep(200_000);
[$lines, $errors, $status] = xhprof('attach', '--fpm', $pool, '--duration', "{$seconds}s", '--rate', '997', '--collapsed');
check('attach --fpm', $status === 0, $errors);
$samples = 0;
$wrong = impossible(preg_replace('/^main\(\);load::\S+ \d+$/m', '', $lines), $samples);
check('no impossible stack of php-fpm', $wrong === [], implode(' | ', array_slice($wrong, 0, 3)));
check('samples of php-fpm', $samples > 100 * $seconds, (string) $samples);
echo "php-fpm: $samples samples\n";
[$lines] = xhprof('attach', '--fpm', $pool, '--duration', '1s', '--collapsed', '--idle');
check('attach --idle', preg_match('/^main\(\);\[idle\] \d+$/m', $lines) === 1, $lines);
[, $errors, $status] = xhprof('attach', '--fpm', "$pool-other", '--duration', '100ms');
check('a pool that is not there', $status === 1 && str_contains($errors, 'no PHP process was found'), $errors);
[$top] = xhprof('top', '--fpm', $pool, '--duration', '1s');
check('top --fpm', preg_match('/^\d process.*\n\n.*\n(.*\n)*.* t_\d/', $top) === 1, $top);
// Between two requests there is none, so it is tried again.
for ($try = 0, $has_request = false; $try < 50 && !$has_request; $try++) {
    [$dump] = xhprof('dump', '--fpm', $pool);
    $has_request = preg_match("/^Process \d+, PHP [\d.]+\S*(, thread-safe)?, fpm-fcgi, .*: php-fpm: pool $pool, GET \/route\/42$/m", $dump) === 1 && !str_contains($dump, 'secret');
}
check('dump --fpm, with a request', $has_request, $dump);
touch("$folder/stop");
check('the load of php-fpm', ended($load) === 0, file_get_contents("$folder/load"));
$server->stop();

// A worker of a PHP without symbols cannot be known before its first request: it is tried again.
$bare = without_symbols($fpm, "$folder/php-fpm-without-symbols");
if ($bare !== null) {
    mkdir("$folder/late");
    $server = new FpmServer($bare, "$folder/late", [], 1, pool: "[$pool-late]\n$user\nlisten = $folder/late/pool\npm = static\npm.max_children = 1");
    $attach = start([$program, 'attach', '--fpm', "$pool-late", '--duration', '30s', '--idle', '--collapsed'], "$folder/late/stacks");
    sleep(1);
    check('nothing is known of a worker without symbols', file_get_contents("$folder/late/stacks") === '', file_get_contents("$folder/late/stacks"));
    FpmServer::answer(FpmServer::sendTo("$folder/late/pool", "$folder/index.php", ''));
    for ($try = 0; $try < 2500 && filesize("$folder/late/stacks") === 0; $try++, clearstatcache()) {
        usleep(10_000);
    }
    check('a worker without symbols, after its first request', str_contains(file_get_contents("$folder/late/stacks"), 'main();[idle] '), file_get_contents("$folder/late/stacks.err"));
    proc_terminate($attach);
    ended($attach);
    $server->stop();
}

finish('php-fpm');
