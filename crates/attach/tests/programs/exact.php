<?php

/**
 * `xhprof attach --trace` and `--for` on php-fpm under load: only the asked workers record, each call of a request, and
 * nothing stays after a kill of either side.
 *
 *     php -n exact.php PHP PROGRAM EXTENSION PHP-FPM
 */

require __DIR__ . '/tools.php';
require __DIR__ . '/../../../../php-tests/programs/servers/fpm-server.php';

[, $php, $program, $extension, $fpm] = $argv;

file_put_contents("$folder/index.php", '<?php function f($x) { return md5($x); } function page() { $a = ""; for ($i = 0; $i < 20; $i++) { $a = f($a); } usleep(3000); } page(); echo "answer";');
file_put_contents("$folder/slow.php", '<?php function slow() { touch("' . $folder . '/slow"); sleep(30); } slow();');
mkdir("$folder/profiles");
$settings = ['extension' => $extension, 'xhprof.output_dir' => "$folder/profiles"];
$pool = 'exact-' . getmypid();
$is_root = posix_user() === 0;
/** A pool of its own: other tests may run a php-fpm, too. */
$start = fn (array $settings, int $workers) => new FpmServer($fpm, $folder, $settings, 1, pool: "[$pool]\n" . ($is_root ? 'user = root' : '') . "\nlisten = $folder/pool\npm = static\npm.max_children = $workers");
$load = fn (float $seconds) => start([PHP_BINARY, '-n', __DIR__ . '/load.php', "$folder/pool", "$folder/index.php", (string) $seconds, $pool, '3', '0'], "$folder/load");
$workers = fn () => array_map(intval(...), array_filter(explode("\n", (string) shell_exec("pgrep -f '^php-fpm: pool $pool'"))));
$profiles = fn () => count(glob("$folder/profiles/*"));
/** Starts the program and leaves it alone. */
$background = fn (string ...$arguments) => proc_open([$program, ...$arguments], [['file', '/dev/null', 'r'], ['file', "$folder/said", 'w'], ['file', "$folder/said", 'a']], $pipes);
$until = function (callable $is): bool {
    for ($try = 0; $try < 3000 && !$is(); $try++) {
        usleep(10_000);
    }
    return (bool) $is();
};

$server = $start($settings, 3);
$requests = $load(600);
// Each worker has served a request, and has the memory.
$has_memory = fn ($worker) => str_contains(implode(' ', array_map(fn ($path) => (string) @readlink($path), glob("/proc/$worker/fd/*"))), 'xhprof-remote');
check('each worker can be asked', $until(fn () => count(array_filter($workers(), $has_memory)) === 3), implode(' ', $workers()));
check('nothing is recorded while no program asks', $profiles() === 0);

[$worker, $other] = $workers();
[$table, $errors, $status] = xhprof('attach', (string) $worker, '--trace', '--duration', '30s', '-o', "$folder/one.xhp");
check('attach --trace', $status === 0 && str_contains($errors, '1 request of 1 process:'), $errors);
[$json] = xhprof('report', "$folder/one.xhp", '--json', '--no-hints');
$report = json_decode($json, true);
$calls = array_map(fn ($function) => $function['inclusive']['calls'], array_column($report['functions'], null, 'name'));
check('each call of one request', ($calls['f'] ?? 0) === 20 && ($calls['md5'] ?? 0) === 20 && ($calls['page'] ?? 0) === 1, $json);
check('the process of the profile', $report['meta']['process'] === $worker, $json);
check('one file, of the worker that was asked', $profiles() === 1, (string) $profiles());

[$table, $errors, $status] = xhprof('attach', (string) $worker, (string) $other, '--trace', '20', '--duration', '30s');
check('attach --trace 20 of two workers', $status === 0 && str_contains($errors, '40 requests of 2 processes:') && preg_match('/^ *800 .* f$/m', $table) === 1, $errors . $table);
check('a file for each of them', $profiles() === 41, (string) $profiles());

[$table, $errors, $status] = xhprof('attach', '--fpm', $pool, '--for', '2s');
$is_said = preg_match('/^xhprof: ([\d,]+) requests of 3 processes:$/m', $errors, $match) === 1;
$number = (int) str_replace(',', '', $match[1] ?? '');
check('attach --for', $status === 0 && $is_said && $number >= 3, $errors);
$before = $profiles();
check('a file for each request of that time', $before === 41 + $number, "$before");

// Of two who ask at once, the second is refused; a kill of the first ends what it asked for.
$asking = $background('attach', (string) $worker, '--trace', '10000', '--duration', '60s');
check('it has begun', $until(fn () => $profiles() > $before));
[, $errors, $status] = xhprof('attach', (string) $worker, '--trace');
check('a second one who asks', $status === 1 && str_contains($errors, 'another `xhprof attach` asks'), $errors);
proc_terminate($asking, 9);
ended($asking);
// The request that runs now may still be written; then there are no more.
$is_over = function () use ($profiles): bool {
    $before = $profiles();
    usleep(500_000);
    return $profiles() === $before;
};
check('nothing is recorded after a kill', $is_over() || $is_over(), (string) $profiles());
[, $errors, $status] = xhprof('attach', (string) $worker, '--trace', '--duration', '30s');
check('it can be asked again', $status === 0 && str_contains($errors, '1 request'), $errors);

if ($is_root) {
    // The other user may not enter the folder of the clone.
    copy($program, "$folder/xhprof");
    chmod("$folder/xhprof", 0755);
    exec("setpriv --reuid=65534 --regid=65534 --clear-groups $folder/xhprof attach $worker --trace 2>&1", $lines, $status);
    check('another user', $status === 1 && str_contains(implode($lines), 'permission denied: it belongs to user 0'), implode("\n", $lines));
}
touch("$folder/stop");
check('the load of php-fpm', ended($requests) === 0, file_get_contents("$folder/load"));
unlink("$folder/stop");

// A worker that has no request, and one that is killed in its request.
$server->ask("$folder/index.php", '');
[$worker] = array_values(array_diff($server->workers(), $workers()));
$before = $profiles();
[, $errors, $status] = xhprof('attach', (string) $worker, '--trace', '--duration', '100ms');
check('a worker without a request', $status === 1 && str_contains($errors, 'no request began in 0.1 s'), $errors);
$asking = $background('attach', (string) $worker, '--trace', '--duration', '60s');
$memory = current(array_filter(glob("/proc/$worker/fd/*"), fn ($path) => str_contains((string) @readlink($path), 'xhprof-remote')));
// PHP itself would open the name behind the link.
$is_asked = fn () => (int) shell_exec("od -An -tu4 -j12 -N4 $memory") > 0;
check('it is asked', $until($is_asked));
$connection = $server->send("$folder/slow.php", '');
check('a slow request', $until(fn () => is_file("$folder/slow")));
exec("kill -KILL $worker");
check('its end', ended($asking) === 1 && str_contains($said = file_get_contents("$folder/said"), "process $worker ended during its request"), $said ?? '');
check('no file is left', $profiles() === $before);
$server->stop();

// Where it is turned off, and where there is no server.
$server = $start($settings + ['xhprof.auto_enable' => 'never'], 1);
$server->ask("$folder/index.php", '');
[$worker] = array_values(array_diff($server->workers(), $workers()));
[, $errors, $status] = xhprof('attach', (string) $worker, '--trace');
check('xhprof.auto_enable = never', $status === 1 && str_contains($errors, '`xhprof.auto_enable` is never'), $errors);
$server->stop();
$command = start([$php, '-n', '-d', "extension=$extension", '-r', 'sleep(30);'], "$folder/out");
[, $errors, $status] = xhprof('attach', (string) proc_get_status($command)['pid'], '--trace');
check('a command', $status === 1 && str_contains($errors, 'commands have none'), $errors);
proc_terminate($command, 9);

finish('exact profiles of php-fpm');
