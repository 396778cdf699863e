--TEST--
A fatal error while curl is asked for its URL ends the program, and not the recording
--EXTENSIONS--
xhprof
curl
--INI--
xhprof.collect_additional_info=1
memory_limit=16M
display_errors=1
html_errors=0
--FILE--
<?php
function leaf() {}
function at_the_end()
{
    unset($GLOBALS['filler']);
    leaf();
    $profile = xhprof_disable();
    foreach ($profile as $name => $cost) {
        if (str_contains($name, 'leaf')) echo "$name: $cost[ct]\n";
    }
}
register_shutdown_function('at_the_end');
$handle = curl_init();
curl_setopt($handle, CURLOPT_URL, 'http://127.0.0.1:1/' . str_repeat('a', 4 << 20));
// What is left is not enough for the answer.
$filler = str_repeat('b', 11 << 20);
xhprof_enable();
curl_exec($handle);
echo "not reached\n";
?>
--EXPECTF--
%AAllowed memory size of %d bytes exhausted (tried to allocate %d bytes) in %s on line %d
at_the_end==>leaf: 1
