--TEST--
Native files have statements unless the flags leave out sql; arrays have them in names only if xhprof.collect_additional_info asks
--EXTENSIONS--
xhprof
pdo
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../include/child.php';
require __DIR__ . '/../include/spans.php';
$directory = make_directory();
$query = '<?php (new PDO("sqlite::memory:"))->query("SELECT 1");';
function statements(string $what, string ...$settings): void
{
    global $directory, $query;
    $ended = run_code($query, "xhprof.output_dir=$directory", ...$settings);
    echo $ended->output;
    [$file] = glob("$directory/*");
    if (str_ends_with($file, '.json')) {
        $found = preg_grep('/PDO::query/', array_keys(json_decode(file_get_contents($file), true)));
    } else {
        $found = array_map(fn (array $span) => "$span[function]: $span[text]", read_native($file)['spans']);
    }
    echo "$what: ", implode(' ', $found), "\n";
    unlink($file);
}
foreach (['tree', 'events', 'edges'] as $mode) {
    statements("native, $mode", 'xhprof.auto_enable=1', "xhprof.mode=$mode");
}
statements('native, cpu', 'xhprof.auto_enable=1', 'xhprof.flags=cpu');
statements('native, cpu, the setting', 'xhprof.auto_enable=1', 'xhprof.flags=cpu', 'xhprof.collect_additional_info=1');
statements('json', 'xhprof.auto_enable=1', 'xhprof.output_format=json');
statements('json, sql', 'xhprof.auto_enable=1', 'xhprof.output_format=json', 'xhprof.flags="cpu sql"');
statements('json, the setting', 'xhprof.auto_enable=1', 'xhprof.output_format=json', 'xhprof.collect_additional_info=1');
putenv('XHPROF=1');
putenv('XHPROF_FLAGS=cpu');
statements('XHPROF_FLAGS without sql');
putenv('XHPROF_FLAGS=SQL');
statements('XHPROF_FLAGS', 'xhprof.flags=cpu');
putenv('XHPROF_FLAGS=sql,cpus');
statements('wrong words', 'xhprof.flags=memory');
putenv('XHPROF');
putenv('XHPROF_FLAGS');
remove_directory($directory);
?>
--EXPECT--
native, tree: PDO::query: SELECT ?
native, events: PDO::query: SELECT ?
native, edges: PDO::query: SELECT ?
native, cpu: 
native, cpu, the setting: PDO::query: SELECT ?
json: main()==>PDO::query
json, sql: main()==>PDO::query
json, the setting: main()==>PDO::query#SELECT ?
XHPROF_FLAGS without sql: 
XHPROF_FLAGS: PDO::query: SELECT ?
wrong words: 
