--TEST--
xhprof.output_name says what a file is called, never where it is
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$directory = make_directory();
$scripts = make_directory();
file_put_contents("$scripts/a script.php", '<?php echo getmypid();');
foreach (['fixed', '%s-%a-%p', '%i', '%t.%u', '%r', '%H%R', '%%', '.hidden', '..', 'a%%sb'] as $pattern) {
    $settings = ['-d', 'xhprof.auto_enable=1', '-d', "xhprof.output_dir=$directory", '-d', "xhprof.output_name=\"$pattern\""];
    $processes = [];
    foreach ([1, 2] as $_) $processes[] = run_php(...[...$settings, "$scripts/a script.php"])->output;
    // Each shape is the whole name: a number of a process may stand in a random name, too.
    $shapes = [
        '/^[0-9a-f]{32}$/' => 'ID',
        '/^1\d{9}\.1\d{15}$/' => 'TIME.MICROTIME',
        '/^[0-9a-f]{10}$/' => 'RANDOM',
        '/^(a_script-cli-)(' . implode('|', $processes) . ')$/' => '$1PROCESS',
    ];
    foreach (array_diff(scandir($directory), ['.', '..']) as $file) {
        echo "$pattern ", preg_replace(array_keys($shapes), array_values($shapes), basename($file, '.xhp')), "\n";
        unlink("$directory/$file");
    }
}
// Neither a pattern nor what is put in makes a name that looks like an option.
file_put_contents("$scripts/-rf.php", '');
foreach (['-x', '-%a', '%s'] as $pattern) {
    run_php('-d', 'xhprof.auto_enable=1', '-d', "xhprof.output_dir=$directory", '-d', "xhprof.output_name=\"$pattern\"", "$scripts/-rf.php");
    foreach (array_diff(scandir($directory), ['.', '..']) as $file) {
        echo "$pattern $file\n";
        unlink("$directory/$file");
    }
}
// What is there is replaced; what a link leads to is not.
file_put_contents("$scripts/victim", 'untouched');
symlink("$scripts/victim", "$directory/fixed.xhp");
$ended = run_php('-d', 'xhprof.auto_enable=1', '-d', "xhprof.output_dir=$directory", '-d', 'xhprof.output_name=fixed', "$scripts/a script.php");
var_dump(file_get_contents("$scripts/victim"), is_link("$directory/fixed.xhp"));
remove_directory($directory);
remove_directory($scripts);
?>
--EXPECT--
fixed fixed
%s-%a-%p a_script-cli-PROCESS
%s-%a-%p a_script-cli-PROCESS
%i ID
%i ID
%t.%u TIME.MICROTIME
%t.%u TIME.MICROTIME
%r RANDOM
%r RANDOM
%H%R nohostnoroute
%% %
.hidden _.hidden
.. _..
a%%sb a%sb
-x _-x.xhp
-%a _-cli.xhp
%s _-rf.xhp
string(9) "untouched"
bool(false)
