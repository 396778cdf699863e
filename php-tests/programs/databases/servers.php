<?php

// Database servers, each with its data and its socket in one folder.

/** Signals, as setpriv calls them. */

const NUMBERS = ['QUIT' => 3, 'KILL' => 9];

/**
 * A server that runs as long as this object lives, and ends with this process.
 *
 * **Invariant:** it opens no port, and writes only into the folder.
 */
final class Server
{
    private $process;

    /** @param callable(): bool $answers whether the server answers */
    public function __construct(string $name, array $command, string $folder, callable $answers, private readonly string $end)
    {
        $log = "$folder/$name.log";
        $out = ['file', $log, 'a'];
        $this->process = proc_open([...unprivileged($end), ...$command], [['file', '/dev/null', 'r'], $out, $out], $pipes, $folder);
        for ($try = 0; !$answers(); $try++) {
            if ($try === 600 || !proc_get_status($this->process)['running']) {
                $this->stop();
                throw new RuntimeException("$name does not answer: " . implode('', array_slice(file($log), -5)));
            }
            usleep(50_000);
        }
    }

    public function stop(): void
    {
        if (isset($this->process)) {
            proc_terminate($this->process, NUMBERS[$this->end]);
            proc_close($this->process);
            $this->process = null;
        }
    }

    public function __destruct()
    {
        $this->stop();
    }
}

function is_root(): bool
{
    return fileowner('/proc/self') === 0;
}

/** The beginning of a command that gets a signal when this process ends. Servers refuse to run as root. */
function unprivileged(string $signal = 'KILL'): array
{
    $command = ['setpriv', "--pdeathsig=$signal"];
    return is_root() ? [...$command, '--reuid=daemon', '--regid=nogroup', '--clear-groups', '--'] : [...$command, '--'];
}

/** Runs a command that creates a server's data. */
function make(array $command, string $folder): void
{
    $out = ['file', "$folder/make.log", 'w'];
    $status = proc_close(proc_open([...unprivileged(), ...$command], [['file', '/dev/null', 'r'], $out, $out], $pipes, $folder));
    if ($status !== 0) {
        throw new RuntimeException("$command[0] failed: " . implode('', array_slice(file("$folder/make.log"), -5)));
    }
}

/** The program of that name: an unpacked one, or the machine's. */
function program(string $root, string $pattern): string
{
    foreach ([$root, ''] as $before) {
        $found = glob("$before$pattern");
        if ($found !== []) {
            return end($found);
        }
    }
    throw new RuntimeException("there is no $pattern, neither below $root nor on this machine");
}

/** Whether a server answers at this socket. */
function connects(string $socket): Closure
{
    return fn () => file_exists($socket) && @stream_socket_client("unix://$socket", timeout: 1) !== false;
}

/** Starts MariaDB; its socket is mariadb.socket in the folder, and root needs no password. */
function start_mariadb(string $root, string $folder): Server
{
    $mariadb = program($root, '/usr/sbin/mariadbd');
    $base = dirname($mariadb, 2);
    make([
        program($root, '/usr/bin/mariadb-install-db'), '--no-defaults', "--basedir=$base", "--datadir=$folder/mariadb",
        '--auth-root-authentication-method=normal', '--skip-test-db', '--skip-name-resolve',
    ], $folder);
    return new Server('mariadb', [
        $mariadb, '--no-defaults', "--basedir=$base", "--datadir=$folder/mariadb", "--socket=$folder/mariadb.socket", "--pid-file=$folder/mariadb.pid",
        '--skip-networking', '--local-infile=1', "--secure-file-priv=$folder/files", "--tmpdir=$folder", '--innodb-flush-log-at-trx-commit=0',
    ], $folder, connects("$folder/mariadb.socket"), 'KILL');
}

/** Starts all servers; their sockets are in the folder. */
function start_servers(string $root, string $folder): array
{
    $servers = [start_mariadb($root, $folder)];

    $postgres = program($root, '/usr/lib/postgresql/*/bin/postgres');
    make([dirname($postgres) . '/initdb', "--pgdata=$folder/postgresql", '--username=postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--no-locale'], $folder);
    // With this signal it deletes its temporary files.
    $servers[] = new Server('postgresql', [
        $postgres, '-D', "$folder/postgresql", '-k', $folder, '-c', 'listen_addresses=', '-c', 'fsync=off', '-c', 'autovacuum=off',
    ], $folder, fn () => str_contains(file_get_contents("$folder/postgresql.log"), 'ready to accept connections'), 'QUIT');

    $redis = "$folder/redis.socket";
    $servers[] = new Server('redis', [
        program($root, '/usr/bin/redis-server'), '--port', '0', '--unixsocket', $redis, '--unixsocketperm', '777', '--dir', $folder, '--save', '', '--appendonly', 'no',
    ], $folder, connects($redis), 'KILL');

    $memcached = "$folder/memcached.socket";
    $servers[] = new Server(
        'memcached',
        [program($root, '/usr/bin/memcached'), '-s', $memcached, '-a', '777', '-m', '16', '-t', '1'],
        $folder,
        connects($memcached),
        'KILL'
    );
    return $servers;
}
