--TEST--
sql in xhprof.flags and XHPROF_FLAGS asks for what xhprof.collect_additional_info does
--EXTENSIONS--
xhprof
pdo
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../include/child.php';
$directory = make_directory();
$query = '<?php (new PDO("sqlite::memory:"))->query("SELECT 1");';
function statements(string $what, string ...$settings): void
{
    global $directory, $query;
    $ended = run_code($query, 'xhprof.output_format=json', "xhprof.output_dir=$directory", ...$settings);
    [$file] = glob("$directory/*.json");
    echo "$what: ", implode(' ', preg_grep('/PDO::query/', array_keys(json_decode(file_get_contents($file), true)))), isset(json_decode(file_get_contents($file), true)['main()']['cpu']) ? ', cpu' : '', "\n";
    unlink($file);
}
statements('nothing', 'xhprof.auto_enable=1');
statements('xhprof.collect_additional_info', 'xhprof.auto_enable=1', 'xhprof.collect_additional_info=1', 'xhprof.flags=memory');
statements('xhprof.flags', 'xhprof.auto_enable=1', 'xhprof.flags="cpu sql"');
putenv('XHPROF_FLAGS=SQL');
statements('XHPROF_FLAGS without XHPROF', 'xhprof.auto_enable=1');
putenv('XHPROF=1');
statements('XHPROF_FLAGS', 'xhprof.flags=cpu');
putenv('XHPROF_FLAGS=sql,cpus');
statements('wrong words', 'xhprof.flags=memory');
putenv('XHPROF');
putenv('XHPROF_FLAGS');
remove_directory($directory);
?>
--EXPECT--
nothing: main()==>PDO::query, cpu
xhprof.collect_additional_info: main()==>PDO::query#SELECT ?
xhprof.flags: main()==>PDO::query#SELECT ?, cpu
XHPROF_FLAGS without XHPROF: main()==>PDO::query, cpu
XHPROF_FLAGS: main()==>PDO::query#SELECT ?
wrong words: main()==>PDO::query
