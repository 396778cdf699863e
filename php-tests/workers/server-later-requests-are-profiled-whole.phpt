--TEST--
A request after requests that were not profiled has every call, also of internal functions
--EXTENSIONS--
xhprof
--SKIPIF--
<?php
if (!function_exists('proc_open')) die('skip starts a server');
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
foreach (['', '', '?profile', '', '?profile', '?profile'] as $query) {
    echo file_get_contents("http://$address/second-request.php$query");
}
proc_terminate($server);
?>
--EXPECT--
not profiled
not profiled
{"compiled_late==>str_repeat":1,"main()":1,"main()==>DateTime::__construct":1,"main()==>DateTime::format":1,"main()==>compiled_late":1,"main()==>twice":10,"main()==>xhprof_disable":1,"twice==>abs":10,"twice==>max":10}
not profiled
{"compiled_late==>str_repeat":1,"main()":1,"main()==>DateTime::__construct":1,"main()==>DateTime::format":1,"main()==>compiled_late":1,"main()==>twice":10,"main()==>xhprof_disable":1,"twice==>abs":10,"twice==>max":10}
{"compiled_late==>str_repeat":1,"main()":1,"main()==>DateTime::__construct":1,"main()==>DateTime::format":1,"main()==>compiled_late":1,"main()==>twice":10,"main()==>xhprof_disable":1,"twice==>abs":10,"twice==>max":10}
