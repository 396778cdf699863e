--TEST--
XHPROF and XHPROF_OUTPUT profile one command, whatever php.ini says
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$directory = make_directory();
$ini = make_directory();
file_put_contents("$directory/script.php", '<?php chdir("/"); echo "output\n";');
chdir($directory);
function show(string $what, array $variables, string ...$settings): void
{
    global $directory, $ini;
    foreach (['XHPROF', 'XHPROF_OUTPUT'] as $name) {
        putenv(isset($variables[$name]) ? "$name=$variables[$name]" : $name);
    }
    $options = [];
    foreach (["xhprof.output_dir=$ini", ...$settings] as $setting) {
        array_push($options, '-d', $setting);
    }
    $ended = run_php(...[...$options, "$directory/script.php"]);
    echo "$what: ", trim($ended->output), ' ', preg_replace('/[0-9a-f]{32}/', 'ID', str_replace([$ini, $directory], ['INI', 'DIR'], $ended->errors));
    foreach ([$directory, $ini] as $where) {
        foreach (preg_grep('/\.(xhp|xhprof|json|ledger)$/', scandir($where)) as $file) {
            echo $where === $ini ? 'ini/' : '', preg_replace('/^[0-9a-f]{32}/', 'ID', $file), ' ', preg_replace('/[^ -~]/', '.', substr(file_get_contents("$where/$file"), 0, 4)), ' ';
            unlink("$where/$file");
        }
    }
    echo "\n";
}
show('neither', []);
show('one', ['XHPROF' => '1']);
show('yes', ['XHPROF' => 'yes'], 'xhprof.rate=0', 'xhprof.match=!*', 'xhprof.min_duration=3600000');
show('no', ['XHPROF' => '0'], 'xhprof.auto_enable=1');
show('something else', ['XHPROF' => 'sometimes'], 'xhprof.auto_enable=1');
show('only output', ['XHPROF_OUTPUT' => 'x.xhp']);
show('directory', ['XHPROF' => '1', 'XHPROF_OUTPUT' => '.']);
show('native', ['XHPROF' => '1', 'XHPROF_OUTPUT' => 'x.xhp']);
show('xhprof', ['XHPROF' => '1', 'XHPROF_OUTPUT' => "$directory/x.xhprof"]);
show('json', ['XHPROF' => '1', 'XHPROF_OUTPUT' => 'x.json'], 'xhprof.output_format=native');
show('with php.ini', ['XHPROF_OUTPUT' => 'x.json'], 'xhprof.auto_enable=1');
show('another ending', ['XHPROF' => '1', 'XHPROF_OUTPUT' => 'x.pdf']);
show('events as JSON', ['XHPROF' => '1', 'XHPROF_OUTPUT' => 'x.json'], 'xhprof.mode=events');
show('not there', ['XHPROF' => '1', 'XHPROF_OUTPUT' => 'no/x.json']);
putenv('XHPROF');
putenv('XHPROF_OUTPUT');
chdir('/');
remove_directory($directory);
remove_directory($ini);
?>
--EXPECT--
neither: output 
one: output xhprof: profile written to INI/ID.script.xhp
ini/ID.script.xhp .XHP 
yes: output xhprof: profile written to INI/ID.script.xhp
ini/ID.script.xhp .XHP 
no: output 
something else: output ini/ID.script.xhp .XHP 
only output: output 
directory: output xhprof: profile written to DIR/ID.script.xhp
ID.script.xhp .XHP 
native: output xhprof: profile written to DIR/x.xhp
x.xhp .XHP 
xhprof: output xhprof: profile written to DIR/x.xhprof
x.xhprof a:3: 
json: output xhprof: profile written to DIR/x.json
x.json {"ma 
with php.ini: output x.json {"ma 
another ending: output xhprof: nothing is recorded: XHPROF_OUTPUT must be a directory, or a file ending in .xhp, .xhprof or .json, not DIR/x.pdf

events as JSON: output xhprof: nothing is recorded: with xhprof.mode=events, XHPROF_OUTPUT must end in .xhp, not DIR/x.json

not there: output xhprof: cannot write the profile DIR/no/x.json: No such file or directory (os error 2)
