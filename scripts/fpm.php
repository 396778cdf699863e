<?php
/**
 * Many requests in one php-fpm worker, some profiled and some not, with OPcache
 * in each of its ways: each profile must have this request's calls, and no
 * others.
 *
 *     php -n fpm.php PHP-FPM EXTENSION
 */

/** A server of one worker behind a socket in a folder of its own. */
final class Server
{
    private $process;
    private readonly string $socket;

    public function __construct(string $fpm, private readonly string $folder, array $settings)
    {
        $this->socket = "$folder/socket";
        @unlink($this->socket);
        file_put_contents("$folder/fpm.conf", <<<INI
            [global]
            error_log = $folder/log
            daemonize = no
            [www]
            user = root
            listen = $this->socket
            pm = static
            pm.max_children = 1
            catch_workers_output = yes
            INI);
        $command = [$fpm, '-n', '-y', "$folder/fpm.conf", '-F'];
        if (function_exists('posix_getuid') ? posix_getuid() === 0 : get_current_user() === 'root') {
            $command[] = '-R';
        }
        foreach ($settings as $name => $value) {
            array_push($command, '-d', "$name=$value");
        }
        $this->process = proc_open($command, [['file', '/dev/null', 'r'], ['file', "$folder/out", 'w'], ['file', "$folder/out", 'a']], $pipes);
        for ($try = 0; $try < 500 && !@stream_socket_client("unix://$this->socket"); $try++) {
            usleep(10_000);
        }
    }

    /** The body of the answer to a request for a script. */
    public function ask(string $script, string $query): string
    {
        $connection = stream_socket_client("unix://$this->socket", timeout: 5);
        stream_set_timeout($connection, 10);
        $parameters = '';
        foreach ([
            'SCRIPT_FILENAME' => $script, 'QUERY_STRING' => $query, 'REQUEST_METHOD' => 'GET',
            'SCRIPT_NAME' => '/' . basename($script), 'SERVER_PROTOCOL' => 'HTTP/1.1', 'GATEWAY_INTERFACE' => 'CGI/1.1',
        ] as $name => $value) {
            $parameters .= pack('CN', strlen($name), strlen($value) | 0x80000000) . "$name$value";
        }
        // Begin as a responder, the parameters and their end, the empty body.
        fwrite($connection, self::record(1, pack('nCx5', 1, 0)) . self::record(4, $parameters) . self::record(4, '') . self::record(5, ''));
        $answer = '';
        while (strlen($header = (string) stream_get_contents($connection, 8)) === 8) {
            ['type' => $type, 'length' => $length, 'padding' => $padding] = unpack('Cversion/Ctype/nid/nlength/Cpadding', $header);
            $content = $length + $padding > 0 ? substr(stream_get_contents($connection, $length + $padding), 0, $length) : '';
            if ($type === 3) {
                break;
            }
            $answer .= $type === 6 ? $content : '';
        }
        return explode("\r\n\r\n", $answer, 2)[1] ?? '';
    }

    public function stop(): void
    {
        proc_terminate($this->process);
        proc_close($this->process);
    }

    /** What the server said, for when something is wrong. */
    public function said(): string
    {
        return @file_get_contents("$this->folder/log") . @file_get_contents("$this->folder/out");
    }

    private static function record(int $type, string $content): string
    {
        return pack('CCnnCx', 1, $type, 1, strlen($content), 0) . $content;
    }
}

const APPLICATION = <<<'PHP'
    <?php
    require_once __DIR__ . '/library.php';
    function work() { leaf(); $it = fn () => leaf(); $it(); foreach (numbers() as $n); return (new Thing)->zork(); }
    function leaf() {}
    function numbers() { yield 1; yield 2; }
    if (isset($_GET['before'])) { work(); }
    if (isset($_GET['profile'])) { xhprof_enable(XHPROF_FLAGS_NO_BUILTINS); }
    work();
    $profile = xhprof_disable();
    if (isset($_GET['after'])) { work(); }
    echo getmypid(), "\n";
    foreach ($profile ?? [] as $edge => $cost) { echo preg_replace('/\{closure[^}]*\}/', '{closure}', $edge), ": $cost[ct]\n"; }
    PHP;

const LIBRARY = <<<'PHP'
    <?php
    class Thing { public function __call($name, $arguments) { return $this->answer(); } private function answer() { return 42; } }
    PHP;

const EXPECTED = [
    'Thing::__call==>Thing::answer: 1', 'main(): 1', 'main()==>work: 1', 'work==>Thing::__call: 1', 'work==>leaf: 1',
    'work==>numbers: 3', 'work==>{closure}: 1', '{closure}==>leaf: 1',
];

[, $fpm, $extension] = $argv;
$folder = sys_get_temp_dir() . '/xhprof-fpm-' . getmypid();
mkdir($folder, 0755);
mkdir("$folder/cache", 0777);
file_put_contents("$folder/application.php", APPLICATION);
file_put_contents("$folder/library.php", LIBRARY);
$opcache = [
    'zend_extension' => 'opcache', 'extension_dir' => ini_get('extension_dir'), 'extension' => $extension,
    // Empty and constant functions stay calls, and files as new as these are cached.
    'opcache.optimization_level' => '0x7FFE3FFF', 'opcache.file_update_protection' => '0', 'opcache.jit' => 'off',
];
$file_cache = ['opcache.file_cache' => "$folder/cache"];
$ways = [
    'no OPcache' => ['opcache.enable' => '0'],
    'OPcache' => [],
    'OPcache, a file cache being filled' => $file_cache,
    'OPcache, a file cache that is full' => $file_cache,
    'OPcache, nothing but a file cache' => $file_cache + ['opcache.file_cache_only' => '1'],
    'OPcache, preloading' => ['opcache.preload' => "$folder/library.php", 'opcache.preload_user' => 'root'],
    'OPcache, tracing JIT' => ['opcache.jit' => 'tracing', 'opcache.jit_buffer_size' => '16M'],
    'OPcache, function JIT' => ['opcache.jit' => 'function', 'opcache.jit_buffer_size' => '16M'],
];
$queries = ['', 'profile', 'before', 'profile&before', 'profile&after', '', 'after', 'profile&before&after', 'profile'];
$wrong = $requests = 0;
foreach ($ways as $way => $settings) {
    foreach (['execute', 'observer'] as $engine) {
        if ($engine === 'execute' && str_contains($way, 'JIT')) {
            continue;
        }
        $server = new Server($fpm, $folder, array_merge($opcache, $settings, ['xhprof.engine' => $engine]));
        $workers = [];
        foreach (array_merge($queries, $queries) as $query) {
            $lines = explode("\n", trim($server->ask("$folder/application.php", $query)));
            $workers[array_shift($lines)] = true;
            sort($lines);
            $expected = str_contains($query, 'profile') ? EXPECTED : [];
            sort($expected);
            $requests++;
            if ($lines !== $expected) {
                $wrong++;
                echo "$way, $engine, ?$query: ", implode(', ', array_diff($lines, $expected)), ' instead of ', implode(', ', array_diff($expected, $lines)), "\n";
            }
        }
        $server->stop();
        if (count($workers) !== 1) {
            $wrong++;
            echo "$way, $engine: ", count($workers), " workers instead of one\n", $server->said();
        }
    }
}
$files = new RecursiveIteratorIterator(new RecursiveDirectoryIterator($folder, FilesystemIterator::SKIP_DOTS), RecursiveIteratorIterator::CHILD_FIRST);
foreach ($files as $file) {
    $file->isDir() ? rmdir($file->getPathname()) : unlink($file->getPathname());
}
rmdir($folder);
echo "$requests requests, $wrong of them wrong\n";
exit($wrong || !$requests ? 1 : 0);
