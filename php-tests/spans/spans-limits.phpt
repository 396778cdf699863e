--TEST--
Spans and their texts are bounded, whatever a program sends, and what is past that is counted
--EXTENSIONS--
xhprof
pdo
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../include/child.php';
require __DIR__ . '/../include/spans.php';

$begin = '<?php $db = new PDO("sqlite::memory:", options: [PDO::ATTR_ERRMODE => PDO::ERRMODE_SILENT]);';
foreach (['tree', 'events'] as $mode) {
    [$file] = spans_of("$begin for (\$i = 0; \$i < 12_000; \$i++) \$db->query(\"SELECT a FROM t\$i\");", "xhprof.mode=$mode");
    echo count($file['spans']), ' and ', $file['left'], "\n";
}
[$file] = spans_of($begin . '
    $db->query("SELECT \'" . str_repeat("secret", 200_000) . "\'");
    $db->query("INSERT INTO t VALUES " . str_repeat("(17, \'secret\'), ", 50_000));
    $db->query("SELECT " . str_repeat("column, ", 100_000));
    foreach (["\xff\xfe", "SELECT <b>&amp;</script>", "a==>b"] as $text) $db->query($text);
    try { $db->query("a\0b"); } catch (ValueError) {}
');
foreach ($file['spans'] as ['text' => $text]) echo strlen($text) > 100 ? strlen($text) : $text, "\n";
?>
--EXPECTF--
10000 and 2000
10000 and 2000
SELECT ?
INSERT INTO t VALUES (?),%s
2051
%s
SELECT <b>&amp;</script>
a==>b
a b
