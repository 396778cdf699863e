--TEST--
With additional info, PDO's rows carry the statement, its literals taken out
--EXTENSIONS--
xhprof
pdo
pdo_sqlite
--INI--
xhprof.collect_additional_info=1
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function work(PDO $db)
{
    $db->exec('CREATE TABLE user (id INTEGER, name TEXT)');
    $db->exec("INSERT INTO user VALUES (1, 'secret'), (2, 'it''s secret')");
    $db->query("SELECT * FROM user WHERE name = 'secret' AND id < 17 -- secret");
    $db->query("SELECT  name\n FROM user WHERE id IN (1, 2, 3)");
    $db->query('SELECT name FROM user WHERE id IN (4)');
    $statement = $db->prepare('SELECT * FROM user WHERE id = ? AND name = :name');
    unset($statement);
    $statement = $db->prepare('SELECT * FROM user WHERE name = :name AND id <> 5');
    $statement->execute(['name' => 'secret parameter']);
    $statement->execute(['name' => 'another secret']);
}

$db = new PDO('sqlite::memory:', options: [PDO::ATTR_ERRMODE => PDO::ERRMODE_SILENT]);
xhprof_enable();
work($db);
$profile = xhprof_disable();
check_shape($profile);
print_calls($profile);
echo preg_match('/secret|17/', implode("\n", array_keys($profile))), "\n";
?>
--EXPECT--
work==>PDO::exec#CREATE TABLE user (id INTEGER, name TEXT): 1
work==>PDO::exec#INSERT INTO user VALUES (?): 1
work==>PDO::query#SELECT * FROM user WHERE name = ? AND id < ?: 1
work==>PDO::query#SELECT name FROM user WHERE id IN (?): 2
work==>PDO::prepare: 2
work==>PDOStatement::execute#SELECT * FROM user WHERE name = :name AND id <> ?: 2
main()==>work: 1
main()==>xhprof_disable: 1
main(): 1
0
