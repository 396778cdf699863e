--TEST--
Statements through subclasses, callbacks and ignore lists are recorded like any call
--EXTENSIONS--
xhprof
pdo
pdo_sqlite
--INI--
xhprof.collect_additional_info=1
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class Db extends PDO {
    #[ReturnTypeWillChange]
    public function query($statement, $mode = null, ...$arguments) { return parent::query($statement); }
}

function work(PDO $db) {
    $db->query('SELECT 1');
    array_map([$db, 'exec'], ['SELECT 2', 'SELECT 3']);
    $query = $db->exec(...);
    $query('SELECT 4');
}
$db = new Db('sqlite::memory:');
xhprof_enable();
work($db);
print_calls(xhprof_disable());

xhprof_enable(0, ['ignored_functions' => ['PDO::exec', 'Db::query']]);
work($db);
print_calls(xhprof_disable());
?>
--EXPECT--
Db::query==>PDO::query#SELECT ?: 1
work==>Db::query: 1
array_map==>PDO::exec#SELECT ?: 2
work==>array_map: 1
work==>PDO::exec#SELECT ?: 1
main()==>work: 1
main()==>xhprof_disable: 1
main(): 1
work==>PDO::query#SELECT ?: 1
work==>array_map: 1
main()==>work: 1
main()==>xhprof_disable: 1
main(): 1
