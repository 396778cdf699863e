--TEST--
Commands of Redis are spans with their name alone, and what asks no server is none
--EXTENSIONS--
xhprof
redis
--FILE--
<?php
require __DIR__ . '/../include/child.php';
require __DIR__ . '/../include/spans.php';

[$file] = spans_of('<?php
function work(Redis $redis) {
    // No server listens on port 1 of this machine.
    foreach ([
        fn () => $redis->connect("127.0.0.1", 1, 1),
        fn () => $redis->set("secret", "secret"),
        fn () => $redis->rawCommand("hgetall", "secret"),
        fn () => $redis->rawCommand("secret 1"),
        fn () => $redis->getOption(Redis::OPT_PREFIX),
        fn () => $redis->isConnected(),
    ] as $call) {
        try { @$call(); } catch (RedisException) {}
    }
}
work(new Redis);
');
foreach ($file['spans'] as ['kind' => $kind, 'text' => $text]) echo "$kind ", $text ?? '-', "\n";
?>
--EXPECT--
redis CONNECT
redis SET
redis HGETALL
redis -
