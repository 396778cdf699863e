--TEST--
Statements with the separator, odd bytes or errors keep a profile readable and the program's result
--EXTENSIONS--
xhprof
pdo
pdo_sqlite
--INI--
xhprof.collect_additional_info=1
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

$db = new PDO('sqlite::memory:');
$db->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION);

xhprof_enable();
$value = $db->query("SELECT 'a==>b' AS `x==>y`")->fetchColumn();
foreach (['', "\0", "\xff\xfe SELECT", "SELECT 'not closed", str_repeat('SELECT ', 10_000), 'SELECT /* /* nested */ 1'] as $statement) {
    try { $db->query($statement); } catch (PDOException | ValueError) {}
}
try { $db->query(); } catch (ArgumentCountError) {}
try { $db->query([]); } catch (TypeError) {}
$profile = xhprof_disable();
check_shape($profile);
echo "$value\n";
$longest = max(array_map('strlen', array_keys($profile)));
// The longest statement has 70,000.
echo $longest < 20_000 ? "bounded\n" : "$longest bytes\n";
echo preg_match('/not closed/', implode("\n", array_keys($profile))), "\n";
?>
--EXPECT--
a==>b
bounded
0
