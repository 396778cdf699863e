--TEST--
Statements of mysqli are named before they fail, and the failure is the program's own
--EXTENSIONS--
xhprof
mysqlnd
mysqli
--INI--
xhprof.collect_additional_info=1
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function work(mysqli $link)
{
    try { $link->query("SELECT * FROM t WHERE password = 'secret'"); } catch (Error $e) { echo get_class($e), "\n"; }
    try { mysqli_query($link, 'SELECT 7'); } catch (Error $e) { echo get_class($e), "\n"; }
    try { mysqli_query('SELECT 7', 'SELECT 8'); } catch (TypeError $e) { echo get_class($e), "\n"; }
}

$link = mysqli_init();
xhprof_enable();
work($link);
print_calls(matching(xhprof_disable(), '/query/'));
?>
--EXPECT--
Error
Error
TypeError
work==>mysqli::query#SELECT * FROM t WHERE password = ?: 1
work==>mysqli_query#SELECT ?: 2
