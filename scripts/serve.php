<?php
/**
 * Starts `xhprof serve` on a loopback port, sends it profiles that the extension made,
 * and reads its answers.
 *
 *     php -n serve.php EXTENSION PROGRAM
 *
 * Each server ends by SIGTERM, by its own process id, also if this program fails.
 */

[, $extension, $program] = $argv;
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
    $options = ['method' => $method, 'header' => $headers, 'content' => $body, 'ignore_errors' => true, 'follow_location' => 0, 'timeout' => 30];
    $body = file_get_contents($url, false, stream_context_create(['http' => $options]));
    return [(int) explode(' ', $http_response_header[0] ?? ' 0')[1], $body];
}

/** Waits up to ten seconds; returns whether it happened. */
function happens(callable $what): bool
{
    for ($end = microtime(true) + 10; microtime(true) < $end; usleep(50_000)) {
        if ($what()) {
            return true;
        }
    }
    return false;
}

/** Starts a server; returns its process, and its address from its first line. */
function server(string $program, string $folder, array $options): array
{
    $command = [$program, 'serve', '--listen', '127.0.0.1:0', '--store', "$folder/store", ...$options];
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
$run = $runs('')[0];
check('its application and release', [$run['app'], $run['release']], ['shop', '7']);
[$status, $file] = request('GET', "$address/api/v1/runs/{$run['id']}/file", $login);
file_put_contents("$folder/back.xhp", $file);
[$report] = run([$program, 'report', "$folder/back.xhp"]);
check('the calls of price() in its file', preg_match('/^ *5 .*\bprice$/m', $report), 1);
[$status, $page] = request('GET', "$address/run/{$run['id']}", $login);
check('the viewer', [$status, str_contains($page, 'price')], [200, true]);

$profiled("$folder/watched");
check('the watched folder: 2 runs', happens(fn () => count($runs('')) === 2), true);
check('its file is removed', happens(fn () => glob("$folder/watched/*.xhp") === []), true);

[$output, $status] = run([$program, 'serve', '--listen', '127.0.0.1:0', '--store', "$folder/store"]);
check("a second server on the store says: $output", [$status !== 0, str_contains($output, 'store')], [true, true]);
check('the first one still answers', request('GET', "$address/healthz")[0], 200);
check('its end by SIGTERM', stop($process), 0);

[$output, $status] = run([$program, 'store', '--store', "$folder/store", 'verify']);
check("verify says: $output", [$status, str_contains($output, '2 runs')], [0, true]);
if ($failed) {
    echo "its log:\n", file_get_contents("$folder/log");
} else {
    echo "xhprof serve: login, upload, list, viewer, watched folder, second server, end: ok\n";
}
exec('rm -r ' . escapeshellarg($folder));
exit($failed ? 1 : 0);
