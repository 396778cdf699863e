--TEST--
A request with curl gets its answer while it is sampled, and its time is curl_exec's
--EXTENSIONS--
xhprof
curl
--INI--
xhprof.sampling_interval=1000
--FILE--
<?php
$code = <<<'PHP'
$server = stream_socket_server('tcp://127.0.0.1:0');
echo stream_socket_get_name($server, false), "\n";
$client = stream_socket_accept($server, 20);
while (($line = fgets($client)) !== false && trim($line) !== '');
for ($i = 0; $i < 6; $i++) {
    usleep(50000);
    fwrite($client, $i === 0 ? "HTTP/1.0 200 OK\r\n\r\n" : "part $i\n");
}
PHP;
$child = proc_open([getenv('TEST_PHP_EXECUTABLE'), '-n', '-r', $code], [1 => ['pipe', 'w']], $pipes);
$address = trim(fgets($pipes[1]));

xhprof_sample_enable();
$handle = curl_init("http://$address/");
curl_setopt($handle, CURLOPT_RETURNTRANSFER, true);
$answer = curl_exec($handle);
$samples = xhprof_sample_disable();
proc_close($child);
echo $answer;
echo curl_errno($handle), "\n";
echo count(preg_grep('/^main\(\)==>curl_exec$/', $samples)) > 150 ? "seen\n" : "not seen\n";
?>
--EXPECT--
part 1
part 2
part 3
part 4
part 5
0
seen
