--TEST--
A prepared statement is told with its text where it runs, under arrays and native files
--EXTENSIONS--
xhprof
sqlite3
--INI--
xhprof.collect_additional_info=1
--FILE--
<?php
require __DIR__ . '/../include/calls.php';
require __DIR__ . '/../include/child.php';
require __DIR__ . '/../include/spans.php';

$code = '
function work() {
    $db = new SQLite3(":memory:");
    $db->exec("CREATE TABLE t (a)");
    $one = $db->prepare("SELECT \'secret\', ?");
    $one->execute();
    unset($one);
    $db->prepare("SELECT 2, a FROM t")->execute();
    $db->querySingle("SELECT 3 AS x");
}';
[$file] = spans_of("<?php $code work();");
print_spans($file);
eval($code);
xhprof_enable();
work();
print_calls(matching(xhprof_disable(), '/#/'));
?>
--EXPECT--
work SQLite3::exec: sql CREATE TABLE t (a)
work SQLite3Stmt::execute: sql SELECT ?, ?
work SQLite3Stmt::execute: sql SELECT ?, a FROM t
work SQLite3::querySingle: sql SELECT ? AS x
work==>SQLite3::exec#CREATE TABLE t (a): 1
work==>SQLite3Stmt::execute#SELECT ?, ?: 1
work==>SQLite3Stmt::execute#SELECT ?, a FROM t: 1
work==>SQLite3::querySingle#SELECT ? AS x: 1
