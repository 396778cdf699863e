<?php

/**
 * The program that `./x databases` runs, profiled and not.
 *
 *     php program.php SOCKETS SEED
 *
 * Prints as JSON the result of each call, the spans that a profile must have, in
 * order, and the words and numbers that it must not have. It ends with an uncaught
 * exception whose message has one of these words.
 *
 * The expectations are written by hand, from docs/production.md.
 */

[, $sockets, $seed] = $argv;
$told = $expected = $secrets = [];

/** A word that occurs nowhere else. */
function secret(): string
{
    global $secrets, $seed;
    $word = strtr(substr(hash('sha256', $seed . count($secrets)), 0, 16), '0123456789', 'ghijklmnop');
    return $secrets[] = "q$word";
}

/** A number that occurs nowhere else. */
function number(): int
{
    global $secrets, $seed;
    $number = 1_000_000_000 + hexdec(substr(hash('sha256', $seed . count($secrets)), 0, 7));
    $secrets[] = (string) $number;
    return $number;
}

/** Expects a span of the next call: its text, and its rows if PHP knows them. */
function waits(string $function, ?string $text, ?int $rows = null): void
{
    global $expected;
    $expected[] = [$function, $text, $rows];
}

/** Stores a result. */
function tell(mixed $result): void
{
    global $told;
    $told[] = is_object($result) ? $result::class : $result;
}

/** Runs code that may fail. */
function attempt(callable $act): void
{
    try {
        tell($act());
    } catch (Throwable $error) {
        tell([$error::class, $error->getCode(), $error->getMessage(), $error->errorInfo ?? null]);
    }
}

/**
 * Two functions that run a statement and expect its span: the recorded text, and the known rows.
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
