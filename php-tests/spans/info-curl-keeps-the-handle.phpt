--TEST--
Looking at a handle's URL leaves its result and its error as they were
--EXTENSIONS--
xhprof
curl
--INI--
xhprof.collect_additional_info=1
--FILE--
<?php
function state($handle): array
{
    return [curl_errno($handle), curl_error($handle) !== '', curl_getinfo($handle, CURLINFO_HTTP_CODE)];
}
function fetch(): array
{
    $handle = curl_init('http://127.0.0.1:1/');
    curl_setopt($handle, CURLOPT_RETURNTRANSFER, true);
    $result = curl_exec($handle);
    $refused = [$result, state($handle)];
    curl_setopt($handle, CURLOPT_URL, 'file://' . __DIR__ . '/../fixtures/returns-array.php');
    $result = curl_exec($handle);
    return [$refused, $result, state($handle)];
}

$without = fetch();
xhprof_enable();
$with = fetch();
xhprof_disable();
var_dump($with === $without);
?>
--EXPECT--
bool(true)
