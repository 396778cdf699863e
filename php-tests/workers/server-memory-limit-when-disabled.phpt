--TEST--
A server does not grow when requests end because what disable returns is larger than the memory limit
--EXTENSIONS--
xhprof
--SKIPIF--
<?php
if (!function_exists('proc_open')) die('skip starts a server');
if (!is_readable('/proc/self/status')) die('skip reads how large the server is');
?>
--FILE--
<?php
// PHP's own server, on a port of its choice, which it tells.
$php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
$server = proc_open(
    'exec ' . escapeshellarg($php) . ' ' . getenv('TEST_PHP_EXTRA_ARGS') . ' -S 127.0.0.1:0 -t ' . escapeshellarg(__DIR__ . '/../fixtures'),
    [1 => ['file', '/dev/null', 'w'], 2 => ['pipe', 'w']],
    $pipes,
);
$address = null;
while (($line = fgets($pipes[2])) !== false) {
    if (preg_match('~http://([\d.]+:\d+)~', $line, $match)) {
        $address = $match[1];
        break;
    }
}
$ask = fn (string $query) => @file_get_contents(
    "http://$address/memory-limit-when-disabled.php$query",
    context: stream_context_create(['http' => ['ignore_errors' => true]]),
);
$repeat = function (int $times) use ($ask) {
    for ($i = 0; $i < $times; $i++) {
        $answer = $ask('');
        if (!str_contains($answer, 'Allowed memory size')) {
            echo "an answer: $answer\n";
        }
    }
};
// At first a server grows whatever it does.
$repeat(40);
$before = (int) $ask('?size');
$repeat(60);
$grown = (int) $ask('?size') - $before;
// Lost with each of them, the profiles would take 90 MB.
echo $grown < 40_000 ? 'not larger' : "$grown KiB larger", "\n";
proc_terminate($server);
?>
--EXPECT--
not larger
