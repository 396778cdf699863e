--TEST--
curl_exec carries its URL without credentials and values, and looking at it adds no row
--EXTENSIONS--
xhprof
curl
--INI--
xhprof.collect_additional_info=1
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function fetch(string $url)
{
    $handle = curl_init($url);
    curl_setopt_array($handle, [CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 5]);
    return curl_exec($handle);
}

// No server listens on port 1 of this machine.
xhprof_enable();
fetch('http://user:secret@127.0.0.1:1/path/to?token=secret&page=17#fragment');
fetch('file:///etc/passwd');
fetch('http://127.0.0.1:1/a==>b');
try { curl_exec('not a handle'); } catch (TypeError $e) { echo get_class($e), "\n"; }
$profile = xhprof_disable();
check_shape($profile);
foreach ($profile as $edge => $cost) {
    echo $edge, ": {$cost['ct']}\n";
}
?>
--EXPECT--
TypeError
fetch==>curl_init: 3
fetch==>curl_setopt_array: 3
fetch==>curl_exec#http://127.0.0.1:1/path/to?token=?&page=?: 1
main()==>fetch: 3
fetch==>curl_exec#file:///etc/passwd: 1
fetch==>curl_exec#http://127.0.0.1:1/?: 1
main()==>curl_exec: 1
main()==>xhprof_disable: 1
main(): 1
