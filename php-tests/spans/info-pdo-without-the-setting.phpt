--TEST--
Without the setting no row carries a statement
--EXTENSIONS--
xhprof
pdo
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

$db = new PDO('sqlite::memory:');
xhprof_enable();
$db->query("SELECT 'secret'");
$db->exec('SELECT 1');
$db->prepare('SELECT 2')->execute();
print_calls(xhprof_disable());
?>
--EXPECT--
main()==>PDO::query: 1
main()==>PDO::exec: 1
main()==>PDO::prepare: 1
main()==>PDOStatement::execute: 1
main()==>xhprof_disable: 1
main(): 1
