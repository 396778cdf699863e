<?php

/**
 * Requests to a php-fpm, three at a time, until the time is over. Each 40 rounds a worker is killed or crashes, and each
 * 200 rounds the pool restarts.
 *
 *     php -n load.php SOCKET SCRIPT SECONDS POOL [AT-A-TIME [ROUNDS [MASTER]]]
 *
 * A file `stop` beside the script ends it, too. Ends with 1 if an answer of a worker that was not killed is wrong.
 */

require __DIR__ . '/../../../../php-tests/programs/servers/fpm-server.php';

[, $socket, $script, $seconds, $pool] = $argv;
$together = (int) ($argv[5] ?? 3);
$rounds = (int) ($argv[6] ?? 40);
$wrong = $right = 0;
for ($round = 1, $end = hrtime(true) + 1e9 * (float) $seconds; hrtime(true) < $end && !is_file(dirname($script) . '/stop'); $round++) {
    $connections = array_map(fn () => FpmServer::sendTo($socket, $script, 'secret=1', ['REQUEST_URI' => '/route/42?secret=1']), range(1, $together));
    $is_killed = $rounds > 0 && $round % $rounds === 0;
    if ($is_killed) {
        $workers = array_filter(explode("\n", (string) shell_exec("pgrep -f '^php-fpm: pool $pool'")));
        $workers && exec('kill -' . ($round % 80 === 0 ? 'SEGV' : 'KILL') . ' ' . (int) $workers[array_rand($workers)]);
    }
    if ($rounds > 0 && isset($argv[7]) && $round % (5 * $rounds) === 3) {
        exec('kill -USR2 ' . (int) $argv[7]);
    }
    foreach ($connections as $connection) {
        $answer = explode("\r\n\r\n", FpmServer::answer($connection), 2)[1] ?? '';
        $answer === 'answer' ? $right++ : ($is_killed || $wrong++);
    }
}
echo "$right right, $wrong wrong\n";
exit($wrong > 0 || $right === 0 ? 1 : 0);
