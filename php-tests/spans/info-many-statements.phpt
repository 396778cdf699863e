--TEST--
Tens of thousands of different statements do not fill the memory with names
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
$db->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_SILENT);
xhprof_enable();
for ($i = 0; $i < 20_000; $i++) {
    $db->query("SELECT * FROM not_there_$i");
}
$profile = xhprof_disable();
check_shape($profile);
echo count($profile) <= 10_010 ? "bounded\n" : count($profile) . " rows\n";
echo array_sum(array_column(matching($profile, '/==>PDO::query/'), 'ct')), " calls\n";
?>
--EXPECT--
bounded
20000 calls
