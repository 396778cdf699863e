<?php

// php-fpm for tests, and the client side of FastCGI.

/** A php-fpm with a socket in a folder of its own. */
final class FpmServer
{
    private $process;
    public readonly string $socket;

    public function __construct(string $fpm, private readonly string $folder, array $settings, int $workers = 1, string $user = 'root', ?string $ini = null, string $pool = '')
    {
        $this->socket = "$folder/socket";
        @unlink($this->socket);
        file_put_contents("$folder/fpm.conf", <<<INI
            [global]
            error_log = $folder/log
            daemonize = no
            process_control_timeout = 10
            [www]
            user = $user
            listen = $this->socket
            listen.mode = 0666
            pm = static
            pm.max_children = $workers
            catch_workers_output = yes
            $pool
            INI);
        // A php.ini of its own, so that PHP reads none of the machine's; proc_open drops empty variables.
        $command = [$fpm, ...($ini === null ? ['-n'] : ['-c', $ini]), '-y', "$folder/fpm.conf", '-F'];
        if (function_exists('posix_getuid') ? posix_getuid() === 0 : get_current_user() === 'root') {
            $command[] = '-R';
        }
        foreach ($settings as $name => $value) {
            array_push($command, '-d', "$name=$value");
        }
        $this->process = proc_open($command, [['file', '/dev/null', 'r'], ['file', "$folder/out", 'w'], ['file', "$folder/out", 'a']], $pipes, null, ['PHP_INI_SCAN_DIR' => '/dev/null'] + getenv());
        for ($try = 0; $try < 500 && !@stream_socket_client("unix://$this->socket"); $try++) {
            usleep(10_000);
        }
    }

    /** The body of the answer to a request for a script. */
    public function ask(string $script, string $query, array $parameters = []): string
    {
        return explode("\r\n\r\n", self::answer($this->send($script, $query, $parameters)), 2)[1] ?? '';
    }

    /** Sends a request; the answer can be read later. */
    public function send(string $script, string $query, array $parameters = [])
    {
        return self::sendTo($this->socket, $script, $query, $parameters);
    }

    /** Sends a request to a server by its socket. */
    public static function sendTo(string $socket, string $script, string $query, array $parameters = [])
    {
        $connection = stream_socket_client("unix://$socket", timeout: 5);
        stream_set_timeout($connection, 10);
        $encoded = '';
        foreach (
            $parameters + [
            'SCRIPT_FILENAME' => $script, 'QUERY_STRING' => $query, 'REQUEST_METHOD' => 'GET',
            'SCRIPT_NAME' => '/' . basename($script), 'SERVER_PROTOCOL' => 'HTTP/1.1', 'GATEWAY_INTERFACE' => 'CGI/1.1',
            ] as $name => $value
        ) {
            $encoded .= pack('NN', strlen($name) | 0x80000000, strlen($value) | 0x80000000) . "$name$value";
        }
        // Begin as a responder, the parameters and their end, the empty body.
        fwrite($connection, self::record(1, pack('nCx5', 1, 0)) . self::record(4, $encoded) . self::record(4, '') . self::record(5, ''));
        return $connection;
    }

    /** Headers and body of the answer; an incomplete answer if the server ended. */
    public static function answer($connection): string
    {
        $answer = '';
        while (strlen($header = (string) stream_get_contents($connection, 8)) === 8) {
            ['type' => $type, 'length' => $length, 'padding' => $padding] = unpack('Cversion/Ctype/nid/nlength/Cpadding', $header);
            $content = $length + $padding > 0 ? substr(stream_get_contents($connection, $length + $padding), 0, $length) : '';
            if ($type === 3) {
                break;
            }
            $answer .= $type === 6 ? $content : '';
        }
        // A worker waits for this before it takes the next request.
        fclose($connection);
        return $answer;
    }

    /** The master's process. */
    public function process(): int
    {
        return proc_get_status($this->process)['pid'];
    }

    /** The workers' processes. */
    public function workers(): array
    {
        $children = (string) @file_get_contents("/proc/{$this->process()}/task/{$this->process()}/children");
        return array_map(intval(...), preg_split('/\s+/', $children, -1, PREG_SPLIT_NO_EMPTY));
    }

    /** SIGQUIT (3) lets requests end, also their code after `fastcgi_finish_request()`. */
    public function stop(int $signal = 15): void
    {
        proc_terminate($this->process, $signal);
        proc_close($this->process);
    }

    /** The messages of the server, for errors. */
    public function said(): string
    {
        return @file_get_contents("$this->folder/log") . @file_get_contents("$this->folder/out");
    }

    private static function record(int $type, string $content): string
    {
        return pack('CCnnCx', 1, $type, 1, strlen($content), 0) . $content;
    }
}
