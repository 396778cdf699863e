<?php
/**
 * The program that `./x databases` runs, profiled and not.
 *
 *     php program.php SOCKETS SEED
 *
 * Says as JSON what came of each call, which spans a profile must have in
 * which order, and the words and numbers that it must not have. It ends in an
 * exception that nobody catches, and whose message has one of them.
 *
 * The expectations are written by hand, from docs/production.md.
 */

[, $sockets, $seed] = $argv;
$told = $expected = $secrets = [];

/** A word that stands nowhere else. */
function secret(): string
{
    global $secrets, $seed;
    $word = strtr(substr(hash('sha256', $seed . count($secrets)), 0, 16), '0123456789', 'ghijklmnop');
    return $secrets[] = "q$word";
}

/** A number that stands nowhere else. */
function number(): int
{
    global $secrets, $seed;
    $number = 1_000_000_000 + hexdec(substr(hash('sha256', $seed . count($secrets)), 0, 7));
    $secrets[] = (string) $number;
    return $number;
}

/** The call that comes waits for something: its text, and its rows if PHP knows them. */
function waits(string $function, ?string $text, ?int $rows = null): void
{
    global $expected;
    $expected[] = [$function, $text, $rows];
}

/** Keeps a result. */
function tell(mixed $result): void
{
    global $told;
    $told[] = is_object($result) ? $result::class : $result;
}

/** Does what may fail. */
function attempt(callable $act): void
{
    try {
        tell($act());
    } catch (Throwable $error) {
        tell([$error::class, $error->getCode(), $error->getMessage(), $error->errorInfo ?? null]);
    }
}

/**
 * What makes a statement, and says how it must be told and how many rows are known.
 *
 * @return array{Closure(string, string, ?int): void, Closure(string, string, ?int=): void} by exec() and by query()
 */
function statements_of(PDO $db): array
{
    return [
        function (string $sql, string $text, ?int $rows) use ($db) {
            waits('PDO::exec', $text, $rows);
            attempt(fn () => $db->exec($sql));
        },
        function (string $sql, string $text, ?int $rows = null) use ($db) {
            waits('PDO::query', $text, $rows);
            attempt(fn () => $db->query($sql)->fetchAll(PDO::FETCH_NUM));
        },
    ];
}

require __DIR__ . '/with-mysql.php';
require __DIR__ . '/with-mysqli.php';
require __DIR__ . '/with-postgresql.php';
require __DIR__ . '/with-pg.php';
require __DIR__ . '/with-sqlite.php';
require __DIR__ . '/with-caches.php';

foreach ([true, false] as $emulated) {
    with_mysql($sockets, $emulated);
    with_postgresql($sockets, $emulated);
}
with_mysqli($sockets);
with_pg($sockets);
with_sqlite();
with_redis($sockets);
with_memcached($sockets);

$db = new PDO('sqlite::memory:');
$last = secret();
waits('PDO::query', 'SELECT * ?', null);
echo json_encode(['told' => $told, 'expected' => $expected, 'secrets' => $secrets], JSON_THROW_ON_ERROR | JSON_PARTIAL_OUTPUT_ON_ERROR), "\n";
$db->query("SELECT * '$last'");
