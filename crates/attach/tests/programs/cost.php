<?php

/**
 * What `xhprof attach` itself costs: CPU time over the duration, for a pool of php-fpm.
 *
 *     php -n cost.php PROGRAM PHP-FPM [WORKERS [SECONDS [RATE [CLIENTS [OPTION…]]]]]      0 is no rate
 *
 * Clients ask the pool, so as many workers serve a request. Each request calls functions of ten files, and waits for a
 * millisecond now and then. Workers without a client wait for a request.
 */

require __DIR__ . '/../../../../php-tests/programs/servers/fpm-server.php';

[, $program, $fpm] = $argv;
$workers = (int) ($argv[3] ?? 50);
$seconds = (int) ($argv[4] ?? 10);
// None means the program's own.
$rate = (int) ($argv[5] ?? 0);
$clients = $argv[6] ?? '4';
$folder = sys_get_temp_dir() . '/xhprof-attach-cost-' . getmypid();
mkdir($folder, 0755, true);
register_shutdown_function(fn () => exec('rm -rf ' . escapeshellarg($folder)));

// A stack of twelve functions in ten files, as a framework has it.
for ($file = 0; $file < 10; $file++) {
    $call = $file < 9 ? '(new Layer' . ($file + 1) . ')->handle($x)' : '$this->work($x)';
    $methods = implode("\n", array_map(fn ($number) => "    public function other$number() { return $number; }", range(1, 20)));
    file_put_contents("$folder/Layer$file.php", "<?php\nclass Layer$file {\n$methods\n    public function handle(\$x) { return $call; }\n    public function work(\$x) { for (\$i = 0; \$i < 20000; \$i++) { \$x = (\$x * 31 + \$i) & 0xffff; } usleep(1000); return \$x; }\n}\n");
}
file_put_contents("$folder/index.php", '<?php for ($file = 0; $file < 10; $file++) { require_once __DIR__ . "/Layer$file.php"; } for ($x = 1, $i = 0; $i < 20; $i++) { $x = (new Layer0)->handle($x); } echo "answer";');
$pool = 'cost-' . getmypid();
$user = trim((string) shell_exec('id -u')) === '0' ? 'user = root' : '';
$opcache = in_array('--opcache', $argv, true) ? ['zend_extension' => 'opcache', 'opcache.enable' => '1', 'opcache.jit' => 'off'] : [];
$options = array_diff(array_slice($argv, 7), ['--opcache']);
$server = new FpmServer($fpm, $folder, $opcache, 1, pool: "[$pool]\n$user\nlisten = $folder/pool\npm = static\npm.max_children = $workers");
$load = proc_open([PHP_BINARY, '-n', __DIR__ . '/load.php', "$folder/pool", "$folder/index.php", (string) ($seconds + 3), $pool, $clients, '0'], [['file', '/dev/null', 'r'], ['file', "$folder/load", 'w']], $pipes);
sleep(1);
$before = getrusage(1);
$process = proc_open([$program, 'attach', '--fpm', $pool, '--duration', "{$seconds}s", ...($rate ? ['--rate', (string) $rate] : []), '-o', "$folder/pool.xhp", ...$options], [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['pipe', 'w']], $pipes);
$said = stream_get_contents($pipes[2]);
proc_close($process);
$used = 0;
foreach (['ru_utime', 'ru_stime'] as $time) {
    foreach (['tv_sec' => 1, 'tv_usec' => 1e-6] as $part => $unit) {
        $used += (getrusage(1)["$time.$part"] - $before["$time.$part"]) * $unit;
    }
}
proc_close($load);
$server->stop();
printf("%d workers, %s of them busy, %s, %d s%s: %.2f %% of a core; %s", $workers, $clients, $rate ? "$rate Hz" : 'rate not given', $seconds, $opcache ? ', OPcache' : '', 100 * $used / $seconds, $said);
