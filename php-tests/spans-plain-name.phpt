--TEST--
xhprof.spans and xhprof.collect_additional_info are one value, and sql in xhprof.flags and XHPROF_FLAGS asks for the same
--EXTENSIONS--
xhprof
pdo
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/include/child.php';
$code = '<?php
function show() { echo ini_get("xhprof.spans"), ini_get("xhprof.collect_additional_info"), " "; }
show();
ini_set("xhprof.collect_additional_info", "1"); show();
ini_set("xhprof.spans", "0"); show();
ini_set("xhprof.spans", "on"); show();
var_dump(@ini_set("xhprof.spans", "perhaps")); show();
ini_restore("xhprof.spans"); show();
ini_restore("xhprof.collect_additional_info"); show();
echo "\n";
';
foreach ([[], ['xhprof.spans=1'], ['xhprof.collect_additional_info=1'], ['xhprof.spans=0', 'xhprof.collect_additional_info=1'], ['xhprof.collect_additional_info=0', 'xhprof.spans=1']] as $settings) {
    $ended = run_code($code, ...$settings);
    echo implode(' ', $settings), ': ', str_replace("\n", ' ', $ended->output), $ended->errors, "\n";
}
$ended = run_php('-d', 'xhprof.collect_additional_info=1', '--ri', 'xhprof');
echo implode("\n", preg_grep('/^xhprof\.(spans|collect)/', explode("\n", $ended->output))), "\n";

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
statements('xhprof.spans', 'xhprof.auto_enable=1', 'xhprof.spans=1', 'xhprof.flags=memory');
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
: 00 11 00 onon bool(false) onon 00 00  
xhprof.spans=1: 11 11 00 onon bool(false) onon 11 11  
xhprof.collect_additional_info=1: 11 11 00 onon bool(false) onon 11 11  
xhprof.spans=0 xhprof.collect_additional_info=1: 00 11 00 onon bool(false) onon 00 00  
xhprof.collect_additional_info=0 xhprof.spans=1: 11 11 00 onon bool(false) onon 11 11  
xhprof.collect_additional_info => 1 => 1
xhprof.spans => 1 => 1
nothing: main()==>PDO::query, cpu
xhprof.spans: main()==>PDO::query#SELECT ?
xhprof.flags: main()==>PDO::query#SELECT ?, cpu
XHPROF_FLAGS without XHPROF: main()==>PDO::query, cpu
XHPROF_FLAGS: main()==>PDO::query#SELECT ?
wrong words: main()==>PDO::query
