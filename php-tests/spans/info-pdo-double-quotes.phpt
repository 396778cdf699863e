--TEST--
A word in double quotes is kept only where a name must stand, and asking PDO for its driver changes nothing
--EXTENSIONS--
xhprof
pdo
pdo_sqlite
--INI--
xhprof.collect_additional_info=1
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class Connection extends PDO
{
    public function getAttribute(int $attribute): mixed { echo "asked\n"; return 'mysql'; }
    public function errorCode(): ?string { echo "asked\n"; return null; }
}

function work(PDO $db)
{
    $db->exec('CREATE TABLE "t" (a INTEGER, "b" TEXT)');
    $db->query('SELECT "john" || b, "t"."a" FROM "t"');
    $db->query('SELECT * FROM t WHERE b = "john" OR "john" = b ORDER BY "john"');
    $db->query('INSERT INTO "t" ("a", "b") SELECT "a", "john" FROM "t"');
    // Backslashes escape nothing in SQLite, prepared or not.
    $db->query("SELECT 'C:\\', 'john', a FROM t WHERE a = 17");
    $statement = $db->prepare("SELECT 'C:\\', \"john\", a FROM t WHERE a = 17 AND b = :b");
    $statement->execute(['b' => 'john']);
    $statement->execute(['b' => 'john']);
    $db->query('SELECT "john" FROM nowhere');
    echo $db->errorCode(), ' ', $db->errorInfo()[2], "\n";
    $db->query('SELECT "john" FROM nowhere');
    echo $db->errorCode(), "\n";
    try { $db->query(''); } catch (ValueError) {}
    echo $db->errorCode(), "\n";
}

function errors(PDO $db)
{
    $db->query('SELECT "john" FROM nowhere');
    echo $db->errorCode(), ' ', $db->errorInfo()[2], "\n";
    $db->prepare('SELECT "john" FROM nowhere');
    echo $db->errorCode(), "\n";
    try { (new ReflectionClass(PDO::class))->newInstanceWithoutConstructor()->query('SELECT "john"'); }
    catch (Error $error) { echo $error::class, "\n"; }
}

$silent = [PDO::ATTR_ERRMODE => PDO::ERRMODE_SILENT];
xhprof_enable();
(new Connection('sqlite::memory:', options: $silent))->query('SELECT "john"');
errors(new PDO('sqlite::memory:', options: $silent));
$db = new PDO('sqlite::memory:', options: $silent);
work($db);
$profile = xhprof_disable();
check_shape($profile);
foreach (array_keys($profile) as $name) if (str_contains($name, '#')) echo $name, ': ', $profile[$name]['ct'], "\n";
echo preg_match('/john|17/', implode("\n", array_keys($profile))), "\n";
?>
--EXPECT--
HY000 no such table: nowhere
HY000
Error
HY000 no such table: nowhere
HY000
HY000
main()==>PDO::query#SELECT ?: 1
errors==>PDO::query#SELECT ? FROM nowhere: 1
errors==>PDO::query#SELECT ?: 1
work==>PDO::exec#CREATE TABLE "t" (a INTEGER, ? TEXT): 1
work==>PDO::query#SELECT ? || b, "t"."a" FROM "t": 1
work==>PDO::query#SELECT * FROM t WHERE b = ? OR ? = b ORDER BY ?: 1
work==>PDO::query#INSERT INTO "t" ("a", "b") SELECT ?, ? FROM "t": 1
work==>PDO::query#SELECT ?, ?, a FROM t WHERE a = ?: 1
work==>PDOStatement::execute#SELECT ?, ?, a FROM t WHERE a = ? AND b = :b: 2
work==>PDO::query#SELECT ? FROM nowhere: 2
work==>PDO::query#: 1
0
