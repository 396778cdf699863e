<?php

/**
 * Measures the cost of automatic profiles on a server: `wrk` against nginx and
 * php-fpm with two workers, without the extension and with several settings. The
 * variants run in turn, many times for a short time.
 *
 *     php -n server-load.php EXTENSION PHP-FPM NGINX FLOOR SECONDS ROUNDS
 *
 * FLOOR is a folder with benches/floor/hooks.c and floor.c, built: what any profiler
 * in PHP's execute hooks costs that does nothing, or reads the clock twice a call.
 *
 * The page makes about 10,000 calls in a few milliseconds, as pages of larger
 * programs do. The script reports numbers and has no limits.
 *
 * Profiles go to a tmpfs, if there is one, and in one variant to the disk, where the
 * cost of a file depends on the file system. Files on the disk stay until the end,
 * because deleting makes later files more expensive: an ext4 without a journal does
 * not reuse inodes that were freed in the last minutes, and examines each of them
 * for every new file.
 */

require __DIR__ . '/../php-tests/programs/servers/fpm-server.php';

const PAGE = <<<'PHP'
    <?php
    final class Node
    {
        public array $children = [];
        public function __construct(public readonly string $name) {}
        public function add(Node $child): static { $this->children[] = $child; return $this; }
        public function render(int $depth = 0): string
        {
            $html = indent($depth) . tag('li', escape($this->name)) . "\n";
            foreach ($this->children as $child) { $html .= $child->render($depth + 1); }
            return $html;
        }
    }
    function indent(int $depth): string { return str_repeat('  ', $depth); }
    function escape(string $text): string { return htmlspecialchars($text, ENT_QUOTES); }
    function tag(string $name, string $inner): string { return "<$name>$inner</$name>"; }
    function build(int $depth, string $name): Node
    {
        $node = new Node($name);
        if ($depth > 0) { for ($i = 0; $i < 5; $i++) { $node->add(build($depth - 1, "$name.$i & <$i>")); } }
        return $node;
    }
    echo build(4, 'root')->render();
    PHP;

[, $extension, $fpm, $nginx, $floor, $seconds, $rounds] = $argv;
$folder = sys_get_temp_dir() . '/xhprof-load-' . getmypid();
mkdir($folder, 0755);
$disk = "$folder/profiles";
$memory = is_writable('/dev/shm') ? '/dev/shm/xhprof-load-' . getmypid() : $disk;
foreach (array_unique([$disk, $memory]) as $directory) {
    mkdir($directory, 0777);
}
file_put_contents("$folder/page.php", PAGE);
file_put_contents("$folder/floor.php", '<?php floor_enable();');
$opcache = ['zend_extension' => 'opcache', 'extension_dir' => ini_get('extension_dir'), 'opcache.enable' => '1', 'opcache.jit' => 'off'];
$own = ['extension' => $extension, 'xhprof.output_dir' => $memory];
$sample = ['xhprof.auto_enable' => '1', 'xhprof.mode' => 'sample', 'xhprof.sampling_interval' => '10000'];
$ways = [
    'without the extension' => [],
    'hooks only' => ['extension' => "$floor/hooks.so"],
    'floor' => ['extension' => "$floor/floor.so", 'auto_prepend_file' => "$folder/floor.php"],
    'loaded, profiling nothing' => $own,
    'trigger, never requested' => $own + ['xhprof.auto_enable' => 'trigger', 'xhprof.trigger' => 'profile', 'xhprof.trigger_secret' => 'secret'],
    'rate = 0.01' => $own + ['xhprof.auto_enable' => '1', 'xhprof.rate' => '0.01'],
    'auto_enable = 1' => $own + ['xhprof.auto_enable' => '1'],
    'auto_enable = 1, edges' => $own + ['xhprof.auto_enable' => '1', 'xhprof.mode' => 'edges'],
    'auto_enable = 1, sample' => $own + $sample,
    'sample, files on the disk' => ['xhprof.output_dir' => $disk] + $own + $sample,
    'auto_enable = 1, wall time only' => $own + ['xhprof.auto_enable' => '1', 'xhprof.flags' => ''],
    'auto_enable = 1, no_builtins' => $own + ['xhprof.auto_enable' => '1', 'xhprof.flags' => 'no_builtins'],
];

/** Starts nginx and php-fpm with these settings, in a folder of their own, and fills the caches. */
function start(array $settings, string $own): array
{
    global $folder, $fpm, $nginx, $opcache;
    mkdir($own);
    $server = new FpmServer($fpm, $own, $opcache + $settings, 2);
    $socket = stream_socket_server('tcp://127.0.0.1:0');
    $port = (int) substr(strrchr(stream_socket_get_name($socket, false), ':'), 1);
    fclose($socket);
    $temporary = implode(' ', array_map(fn ($it) => "{$it}_temp_path $own/$it;", ['client_body', 'fastcgi', 'proxy', 'uwsgi', 'scgi']));
    file_put_contents("$own/nginx.conf", <<<CONF
        daemon off; pid $own/nginx.pid; error_log $own/nginx.log; worker_processes 1;
        events { }
        http { access_log off; $temporary
            server { listen 127.0.0.1:$port; location / {
                fastcgi_param SCRIPT_FILENAME $folder/page.php;
                fastcgi_param REQUEST_METHOD \$request_method;
                fastcgi_param REQUEST_URI \$request_uri;
                fastcgi_param QUERY_STRING \$query_string;
                fastcgi_param HTTP_HOST \$http_host;
                fastcgi_pass unix:{$server->socket};
            } } }
        CONF);
    $process = proc_open([$nginx, '-c', "$own/nginx.conf", '-e', "$own/nginx.log"], [['file', '/dev/null', 'r'], ['file', "$own/nginx.out", 'a'], ['file', "$own/nginx.out", 'a']], $pipes);
    for ($try = 0; $try < 500 && !@stream_socket_client("tcp://127.0.0.1:$port"); $try++) {
        usleep(10_000);
    }
    // The first requests fill OPcache.
    exec("wrk -t1 -c2 -d1 http://127.0.0.1:$port/");
    return [$server, $port, $process];
}

/** Requests a second, the 50th and 99th percentile of the time in ms, profiles, and CPU time of a request. */
function measure(FpmServer $server, int $port, string $directory): array
{
    global $seconds;
    $there = profiles($directory, true);
    $before = cpu_us($server);
    exec("wrk -t1 -c2 -d$seconds --latency http://127.0.0.1:$port/ 2>&1", $output, $status);
    $cpu = cpu_us($server) - $before;
    $text = implode("\n", $output);
    $is_right = preg_match('/50%\s+([\d.]+)(us|ms|s)/', $text, $half) && preg_match('/99%\s+([\d.]+)(us|ms|s)/', $text, $most)
        && preg_match('/(\d+) requests in/', $text, $requests) && preg_match('/Requests\/sec:\s+([\d.]+)/', $text, $rate) && !str_contains($text, 'Non-2xx') && !str_contains($text, 'Socket errors');
    if ($status || !$is_right) {
        fwrite(STDERR, "wrk said:\n$text\n");
        exit(1);
    }
    $unit = ['us' => 0.001, 'ms' => 1, 's' => 1000];
    $profiles = profiles($directory, false) - $there;
    return [(float) $rate[1], $half[1] * $unit[$half[2]], $most[1] * $unit[$most[2]], $profiles, $cpu / $requests[1]];
}

/** Counts the profiles; deletes those on the tmpfs. */
function profiles(string $directory, bool $remove): int
{
    global $disk;
    if ($remove && $directory !== $disk) {
        array_map(unlink(...), glob("$directory/*"));
    }
    return count(glob("$directory/*"));
}

/**
 * The CPU time of the workers and all their threads, also of threads that have
 * ended. Other programs disturb it less than any other number. The kernel counts it
 * in hundredths of a second.
 */
function cpu_us(FpmServer $server): float
{
    $used = 0;
    foreach ($server->workers() as $worker) {
        $fields = explode(' ', substr(strrchr(file_get_contents("/proc/$worker/stat"), ')'), 2));
        $used += $fields[11] + $fields[12];
    }
    return $used * 10_000.0;
}

$servers = [];
foreach ($ways as $way => $settings) {
    $servers[$way] = start($settings, "$folder/" . count($servers));
}
$results = [];
for ($round = 0; $round < $rounds; $round++) {
    // The order is reversed in each round.
    $servers = array_reverse($servers, true);
    foreach ($servers as $way => [$server, $port]) {
        $results[$way][] = measure($server, $port, $ways[$way]['xhprof.output_dir'] ?? $memory);
    }
}
foreach ($servers as [$server, , $process]) {
    proc_terminate($process);
    proc_close($process);
    $server->stop();
}
function median(array $numbers): float
{
    sort($numbers);
    return $numbers[intdiv(count($numbers), 2)];
}
printf("%-32s %10s %7s %8s %8s %14s %9s %9s\n", '', 'requests/s', 'ratio', 'p50, ms', 'p99, ms', 'CPU ms/request', 'CPU ratio', 'profiles');
[$first, $least] = [array_column($results['without the extension'], 0), array_column($results['without the extension'], 4)];
foreach (array_keys($ways) as $way) {
    $column = fn (int $number) => array_column($results[$way], $number);
    // Ratios are taken within rounds: if the machine is slower for a while, it is so for both.
    $ratio = median(array_map(fn ($one, $base) => $one / $base, $column(0), $first));
    $cpu = median(array_map(fn ($one, $base) => $base / $one, $column(4), $least));
    printf("%-32s %10.1f %7.3f %8.2f %8.2f %14.3f %9.3f %9d\n", $way, median($column(0)), $ratio, median($column(1)), median($column(2)), median($column(4)) / 1000, $cpu, array_sum($column(3)));
}
preg_match('/^model name\s*: (.*)/m', @file_get_contents('/proc/cpuinfo'), $cpu);
echo "\nMedians of $rounds runs of $seconds s each, in turn; 2 php-fpm workers, 2 connections, OPcache;\nload ", implode(' ', array_map(fn ($load) => round($load, 1), sys_getloadavg())), ', ', date('Y-m-d'), ', PHP ', PHP_VERSION, ', ', $cpu[1] ?? php_uname('m'), ".\n";
exec('rm -rf ' . implode(' ', array_map(escapeshellarg(...), array_unique([$folder, $memory]))));
