--TEST--
A file of call events takes no memory of PHP's while the script runs or forks, however long the request's host and URL are
--EXTENSIONS--
xhprof
--SKIPIF--
<?php
if (!is_executable((string) getenv('TEST_PHP_CGI_EXECUTABLE'))) die('skip no php-cgi');
?>
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$directory = make_directory();
$script = "$directory/script.php";
// The script takes pages of PHP's memory until the limit is reached, or so many: with one page left, a host does not fit.
file_put_contents($script, '<?php
function leaf() {}
parse_str($_SERVER["QUERY_STRING"], $query);
$fill = array_fill(0, 3000, null);
$i = 0;
register_shutdown_function(function () use (&$fill, &$i) { $fill = null; echo "taken: $i"; });
ini_set("memory_limit", "8M");
for (; $i < ($query["pages"] ?? 3000); $i++) $fill[$i] = str_repeat("x", 4000);
isset($query["enable"]) && xhprof_enable(0, ["mode" => "events"]);
$child = isset($query["fork"]) && function_exists("pcntl_fork") ? pcntl_fork() : null;
for ($call = 0; $call < 30_000; $call++) leaf();
$fill = null;
if ($child === 0) exit;
$child && pcntl_waitpid($child, $status);
isset($query["enable"]) && xhprof_write();
echo "done, ";
');
$cgi = escapeshellarg(getenv('TEST_PHP_CGI_EXECUTABLE')) . ' -q ' . getenv('TEST_PHP_EXTRA_ARGS')
    . ' -d display_errors=0 -d log_errors=0 -d xhprof.mode=events -d ' . escapeshellarg('xhprof.output_name="%p.%R.%H"')
    . ' -d ' . escapeshellarg("xhprof.output_dir=$directory");
$ask = function (string $query, string $settings) use ($cgi, $script) {
    $variables = [
        'REDIRECT_STATUS' => '200', 'SCRIPT_FILENAME' => $script, 'REQUEST_METHOD' => 'GET', 'QUERY_STRING' => $query,
        'REQUEST_URI' => '/' . str_repeat('u', 8000), 'HTTP_HOST' => str_repeat('h', 8000),
    ];
    $process = proc_open("exec $cgi $settings", [1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes, null, $variables + getenv());
    $answer = stream_get_contents($pipes[1]);
    proc_close($process);
    return trim($answer);
};
foreach ([
    'automatic' => ['', '-d xhprof.auto_enable=1'], 'of the program' => ['&enable', ''], 'forked' => ['&fork', '-d xhprof.auto_enable=1'],
] as $what => [$query, $settings]) {
    preg_match('/taken: (\d+)/', $ask("pages=3000$query", $settings), $match);
    array_map(unlink(...), glob("$directory/*.xhp*"));
    $pages = $match[1] - ($query === '' ? 1 : 3);
    // A forked child ends first.
    $answer = $ask("pages=$pages$query", $settings);
    echo "$what: ", $match[1] < 3000 ? '' : 'no limit, ', str_replace($pages, 'all', strstr($answer, 'done') ?: 'ended early'), "\n";
    $files = glob("$directory/*.xhp*");
    // A child has a file of its own.
    echo implode("\n", array_unique(preg_replace(['/^\d+/', '/u+/', '/h{9,}/'], ['PROCESS', 'URL', 'HOST'], array_map(basename(...), $files)))), "\n";
    array_map(unlink(...), $files);
}
unlink($script);
remove_directory($directory);
?>
--EXPECT--
automatic: done, taken: all
PROCESS._.HOST.xhp
of the program: done, taken: all
PROCESS._.HOST.xhp
forked: done, taken: all
PROCESS._.HOST.xhp
