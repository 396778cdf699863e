--TEST--
In native files statements are spans of plain functions, in every mode, and in arrays parts of names
--EXTENSIONS--
xhprof
pdo
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../include/child.php';
require __DIR__ . '/../include/spans.php';

$code = '<?php
function work(PDO $db) {
    $db->exec("CREATE TABLE t (a INTEGER, b TEXT)");
    for ($i = 1; $i < 4; $i++) $db->exec("INSERT INTO t VALUES ($i, \'secret $i\')");
    $db->query("SELECT * FROM t WHERE b IN (\'secret\', \'other\') -- secret");
    $statement = $db->prepare("UPDATE t SET b = ? WHERE a < 3");
    $statement->execute(["secret"]);
    try { $db->query("SELECT secret FROM"); } catch (PDOException) {}
}
work(new PDO("sqlite::memory:"));
';
foreach (['tree', 'edges', 'events'] as $mode) {
    [$file] = spans_of($code, "xhprof.mode=$mode");
    echo "$mode, ", count(preg_grep('/#|secret/', $file['names'])), " names with more in them\n";
    if ($mode === 'tree') print_spans($file);
    $all[] = array_map(fn ($span) => array_diff_key($span, ['start' => 0, 'duration' => 0]), $file['spans']);
    foreach ($file['spans'] as $span) {
        if ($span['start'] < ($last ?? 0)) echo "not in order\n";
        $last = $span['start'] + $span['duration'];
    }
    $last = 0;
}
var_dump($all[0] === $all[1] && $all[1] === $all[2]);
$directory = make_directory();
run_code($code, 'xhprof.auto_enable=1', 'xhprof.collect_additional_info=1', "xhprof.output_dir=$directory", 'xhprof.output_format=json');
[$file] = glob("$directory/*.json");
foreach (json_decode(file_get_contents($file), true) as $edge => $cost) {
    if (str_contains($edge, '#')) echo "$edge: $cost[ct]\n";
}
remove_directory($directory);
?>
--EXPECT--
tree, 0 names with more in them
work PDO::exec: sql CREATE TABLE t (a INTEGER, b TEXT), 0 rows
work PDO::exec: sql INSERT INTO t VALUES (?), 1 rows
work PDO::exec: sql INSERT INTO t VALUES (?), 1 rows
work PDO::exec: sql INSERT INTO t VALUES (?), 1 rows
work PDO::query: sql SELECT * FROM t WHERE b IN (?)
work PDOStatement::execute: sql UPDATE t SET b = ? WHERE a < ?, 2 rows
work PDO::query: sql SELECT secret FROM
edges, 0 names with more in them
events, 0 names with more in them
bool(true)
work==>PDO::exec#CREATE TABLE t (a INTEGER, b TEXT): 1
work==>PDO::exec#INSERT INTO t VALUES (?): 3
work==>PDO::query#SELECT * FROM t WHERE b IN (?): 1
work==>PDOStatement::execute#UPDATE t SET b = ? WHERE a < ?: 1
work==>PDO::query#SELECT secret FROM: 1
