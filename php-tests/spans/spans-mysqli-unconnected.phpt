--TEST--
Statements of mysqli that fail are spans, and strings in double quotes are strings there
--EXTENSIONS--
xhprof
mysqlnd
mysqli
--FILE--
<?php
require __DIR__ . '/../include/child.php';
require __DIR__ . '/../include/spans.php';

[$file] = spans_of('<?php
function work(mysqli $link) {
    try { $link->query("SELECT CONCAT(\"secret\", `name`) FROM t WHERE a = \'it\\\\\'s\' AND b = 1"); } catch (Error) {}
    try { mysqli_query($link, "SELECT 7"); } catch (Error) {}
    try { mysqli_query("SELECT 7", "SELECT 8"); } catch (TypeError) {}
    try { mysqli_prepare($link, "SELECT 9"); } catch (Error) {}
}
work(mysqli_init());
');
print_spans($file);
?>
--EXPECT--
work mysqli::query: sql SELECT CONCAT(?, `name`) FROM t WHERE a = ? AND b = ?
work mysqli_query: sql SELECT ?
work mysqli_query: sql SELECT ?
