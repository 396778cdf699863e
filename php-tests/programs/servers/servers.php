<?php

// Servers that run PHP. Each is started with settings and gets requests.

require __DIR__ . '/fpm-server.php';

/** A server that answers `/application.php`, or another target. */
interface Web
{
    /** Sends a request for a path with a query; `read` returns the answer with its headers. */
    public function send(string $target, array $headers);

    public function read($sent): string;

    public function stop(): void;
}

/** php-fpm, with this script as its web server. */
final class Fpm implements Web
{
    public readonly FpmServer $server;

    public function __construct(string $fpm, private readonly string $folder, array $settings, int $workers)
    {
        $this->server = new FpmServer($fpm, $folder, $settings, $workers);
    }

    public function send(string $target, array $headers)
    {
        $parameters = ['REQUEST_URI' => $target];
        foreach ($headers as $name => $value) {
            $parameters['HTTP_' . strtoupper(strtr($name, '-', '_'))] = $value;
        }
        return $this->server->send("$this->folder/application.php", explode('?', $target, 2)[1] ?? '', $parameters);
    }

    public function read($sent): string
    {
        return FpmServer::answer($sent);
    }

    public function stop(): void
    {
        $this->server->stop();
    }
}

/** A server that speaks HTTP: PHP's own, or nginx in front of php-fpm. */
final class Http implements Web
{
    private $process;
    private readonly int $port;

    /** @param callable(int): array $command makes the command for a free port */
    public function __construct(callable $command, string $folder, private readonly ?FpmServer $behind = null)
    {
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        $this->port = (int) substr(strrchr(stream_socket_get_name($socket, false), ':'), 1);
        fclose($socket);
        $this->process = proc_open($command($this->port), [['file', '/dev/null', 'r'], ['file', "$folder/out", 'a'], ['file', "$folder/out", 'a']], $pipes);
        for ($try = 0; $try < 500 && !@stream_socket_client("tcp://127.0.0.1:$this->port"); $try++) {
            usleep(10_000);
        }
    }

    public function send(string $target, array $headers)
    {
        $connection = stream_socket_client("tcp://127.0.0.1:$this->port", timeout: 5);
        stream_set_timeout($connection, 10);
        $request = "GET $target HTTP/1.0\r\n";
        foreach ($headers as $name => $value) {
            $request .= "$name: $value\r\n";
        }
        fwrite($connection, "$request\r\n");
        return $connection;
    }

    public function read($sent): string
    {
        $answer = stream_get_contents($sent);
        // Apache waits for that, two seconds at most.
        fclose($sent);
        return $answer;
    }

    public function stop(): void
    {
        proc_terminate($this->process);
        proc_close($this->process);
        $this->behind?->stop();
    }
}

/** `php-cgi`, a process for each request. */
final class Cgi implements Web
{
    public function __construct(private readonly string $cgi, private readonly string $folder, private readonly array $settings)
    {
    }

    public function send(string $target, array $headers)
    {
        $parameters = [
            'REDIRECT_STATUS' => '200', 'GATEWAY_INTERFACE' => 'CGI/1.1', 'SERVER_PROTOCOL' => 'HTTP/1.1', 'REQUEST_METHOD' => 'GET',
            'SCRIPT_FILENAME' => "$this->folder/application.php", 'SCRIPT_NAME' => '/application.php',
            'REQUEST_URI' => $target, 'QUERY_STRING' => explode('?', $target, 2)[1] ?? '', 'PHP_INI_SCAN_DIR' => '',
        ];
        foreach ($headers as $name => $value) {
            $parameters['HTTP_' . strtoupper(strtr($name, '-', '_'))] = $value;
        }
        $command = [$this->cgi, '-n'];
        foreach ($this->settings as $name => $value) {
            array_push($command, '-d', "$name=$value");
        }
        $process = proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], ['file', "$this->folder/out", 'a']], $pipes, null, $parameters);
        return [$process, $pipes[1]];
    }

    public function read($sent): string
    {
        $answer = stream_get_contents($sent[1]);
        proc_close($sent[0]);
        return $answer;
    }

    public function stop(): void
    {
    }
}

/** The command that starts Apache with PHP inside; if root runs this, its processes have another user. */
function apache_command(string $root, string $folder, array $settings, int $port, int $workers): array
{
    [$php] = glob("$root/usr/lib/apache2/modules/libphp*.so");
    $ini = '';
    foreach ($settings as $name => $value) {
        $ini .= "$name=" . (str_starts_with($value, '"') ? $value : "\"$value\"") . "\n";
    }
    @mkdir("$folder/ini");
    file_put_contents("$folder/ini/php.ini", $ini);
    $modules = "$root/usr/lib/apache2/modules";
    file_put_contents("$folder/apache.conf", <<<CONF
        ServerRoot $folder
        ServerName localhost
        PidFile $folder/apache.pid
        ErrorLog $folder/apache.log
        DefaultRuntimeDir $folder
        User daemon
        Group nogroup
        Listen 127.0.0.1:$port
        LoadModule mpm_prefork_module $modules/mod_mpm_prefork.so
        LoadModule authz_core_module $modules/mod_authz_core.so
        LoadModule alias_module $modules/mod_alias.so
        LoadModule php_module $php
        PHPIniDir $folder/ini
        StartServers $workers
        MinSpareServers $workers
        MaxSpareServers $workers
        MaxRequestWorkers $workers
        DocumentRoot $folder
        AliasMatch ".*" $folder/application.php
        <Directory $folder>
            Require all granted
            SetHandler application/x-httpd-php
        </Directory>
        CONF);
    // With its libraries, and without the settings of an installed PHP.
    $libraries = implode(':', glob("$root/usr/lib/*-linux-gnu"));
    // In a process group of its own, because Apache ends its whole group.
    return ['setsid', 'env', "LD_LIBRARY_PATH=$libraries", 'PHP_INI_SCAN_DIR=', "$root/usr/sbin/apache2", '-f', "$folder/apache.conf", '-DFOREGROUND'];
}
