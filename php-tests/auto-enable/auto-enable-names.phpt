--TEST--
The file's source is the script's name in plain letters, and every run has its own id
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$scripts = make_directory();
$profiles = make_directory();
foreach (['plain.php', 'with.dots and spaces.php', 'größe.php', '.php', str_repeat('long', 50) . '.php'] as $name) {
    file_put_contents("$scripts/$name", '<?php');
    run_php('-d', 'xhprof.auto_enable=1', '-d', "xhprof.output_dir=$profiles", "$scripts/$name");
    run_php('-d', 'xhprof.auto_enable=1', '-d', "xhprof.output_dir=$profiles", "$scripts/$name");
}
$ended = run_php('-d', 'xhprof.auto_enable=1', '-d', "xhprof.output_dir=$profiles", '-r', 'echo "r\n";');
echo $ended->output, $ended->errors;
$ids = [];
foreach (array_diff(scandir($profiles), ['.', '..']) as $file) {
    if (!preg_match('/^([0-9a-f]{32})\.([A-Za-z0-9_-]{1,64})\.xhp$/', $file, $match)) {
        echo "wrong name $file\n";
        continue;
    }
    $ids[$match[1]] = $match[2];
}
$in_order = $ids;
ksort($in_order, SORT_STRING);
echo count($ids), " ids\n";
echo count(array_keys($ids, 'plain')), " of plain\n";
remove_directory($scripts);
remove_directory($profiles);
?>
--EXPECT--
r
11 ids
2 of plain
