--TEST--
A server's request that failed is written however short it was, whatever its shutdown functions do to PHP's last error
--EXTENSIONS--
xhprof
--SKIPIF--
<?php
if (!function_exists('proc_open')) die('skip starts a server');
?>
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
$directory = make_directory();
// With display_errors=1, PHP answers with the status 200 to what failed.
$server = proc_open(
    'exec ' . escapeshellarg($php) . ' ' . getenv('TEST_PHP_EXTRA_ARGS')
        . " -d xhprof.auto_enable=1 -d xhprof.output_dir=$directory -d xhprof.min_duration=3600000"
        . ' -d display_errors=1 -S 127.0.0.1:0 -t ' . escapeshellarg(__DIR__ . '/../fixtures'),
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
$ask = fn (string $query) => file_get_contents("http://$address/fatal-error-then-warning.php$query");
foreach (['?then=nothing', '?then=warning', '?then=clear', ''] as $query) {
    $ask($query);
    // The next answer comes when this request is over.
    file_get_contents("http://$address/returns-array.php");
    $files = glob("$directory/*.xhp");
    array_map('unlink', $files);
    echo "$query: ", count($files), "\n";
}
proc_terminate($server);
remove_directory($directory);
?>
--EXPECT--
?then=nothing: 1
?then=warning: 1
?then=clear: 1
: 0
