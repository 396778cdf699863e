--TEST--
What curl waits for is a span, and a file is one without its path
--EXTENSIONS--
xhprof
curl
--FILE--
<?php
require __DIR__ . '/../include/child.php';
require __DIR__ . '/../include/spans.php';

[$file] = spans_of('<?php
function fetch(string $url) {
    $handle = curl_init($url);
    curl_setopt_array($handle, [CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 5]);
    return curl_exec($handle);
}
fetch("http://user:secret@127.0.0.1:1/path/to?token=secret&page=17#fragment");
fetch("file://" . __FILE__);
// Curl tells it before the transfer, or not, by its version.
fetch("127.0.0.1:1/schemeless");
try { curl_exec("not a handle"); } catch (TypeError) {}
');
print_spans($file);
?>
--EXPECTF--
fetch curl_exec: http http://127.0.0.1:1/path/to
fetch curl_exec: stream -
fetch curl_exec: http %s
