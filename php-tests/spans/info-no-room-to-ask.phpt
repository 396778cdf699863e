--TEST--
Curl is not asked for a URL that does not fit into what the memory limit leaves
--EXTENSIONS--
xhprof
curl
--INI--
xhprof.collect_additional_info=1
memory_limit=16M
--FILE--
<?php
$handle = curl_init();
curl_setopt($handle, CURLOPT_URL, 'http://127.0.0.1:1/' . str_repeat('a', 4 << 20));
function asked($handle)
{
    xhprof_enable();
    curl_exec($handle);
    foreach (array_keys(xhprof_disable()) as $name) {
        if (str_contains($name, 'curl_exec')) echo substr($name, 0, 60), "\n";
    }
}
// The copy of the answer does not fit: the program would end here.
$filler = str_repeat('b', 10 << 20);
asked($handle);
unset($filler);
asked($handle);
echo "reached\n";
?>
--EXPECTF--
main()==>curl_exec
main()==>curl_exec#http://127.0.0.1:1/?
reached
