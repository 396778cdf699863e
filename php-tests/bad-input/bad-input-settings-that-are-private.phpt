--TEST--
A secret that is no text is in no message, and no program's output_dir is where open_basedir forbids it
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$directory = make_directory();
file_put_contents("$directory/php.ini", "xhprof.trigger_secret = \"do-not-tell\xff\"\n");
$child = run_php('-c', "$directory/php.ini", '-r', 'echo "ran\n";');
echo preg_replace('/^.*(xhprof\.trigger_secret must be .*?) in Unknown.*?(ran)/s', "$1\n$2", $child->output);
var_dump(str_contains($child->output . $child->errors, 'do-not-tell'));
unlink("$directory/php.ini");

var_dump(ini_set('xhprof.output_dir', '/'));
ini_set('open_basedir', $directory);
foreach (['/', "$directory/../elsewhere", "$directory/below", ''] as $path) {
    error_clear_last();
    $old = @ini_set('xhprof.output_dir', $path);
    echo $old === false ? 'refused' : 'set', str_contains(error_get_last()['message'] ?? '', 'open_basedir') ? ', with a warning' : '', "\n";
}
ini_restore('xhprof.output_dir');
remove_directory($directory);
?>
--EXPECT--
xhprof.trigger_secret must be text in UTF-8, not what it is; using the default, ""
ran
bool(false)
string(0) ""
refused, with a warning
refused, with a warning
set
set
