--TEST--
xhprof_write() returns false with a warning that names the reason, and ends the profile; it follows no link
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

function job() { strlen('x'); }

$directory = make_directory();
ini_set('xhprof.output_dir', $directory);
set_error_handler(function ($level, $message) use (&$directory) {
    echo preg_replace('/[0-9a-f]{32}/', 'ID', str_replace($directory, 'DIR', $message)), "\n";
});
echo "nothing runs\n";
var_dump(xhprof_write());
foreach (['tree', 'events'] as $mode) {
    echo "$mode\n";
    foreach (["$directory/none/x.xhp", '/dev/null', "$directory/none/"] as $file) {
        xhprof_enable(0, ['mode' => $mode]);
        job();
        var_dump(xhprof_write($file), xhprof_status()['mode']);
    }
    // A link is replaced, and what it leads to stays.
    file_put_contents("$directory/victim", 'untouched');
    symlink("$directory/victim", "$directory/link.xhp");
    xhprof_enable(0, ['mode' => $mode]);
    job();
    xhprof_write("$directory/link.xhp");
    var_dump(file_get_contents("$directory/victim"), is_link("$directory/link.xhp"));
    unlink("$directory/link.xhp");
    unlink("$directory/victim");
    // No directory, no room, and room again.
    ini_set('xhprof.output_dir', "$directory/none");
    xhprof_enable(0, ['mode' => $mode]);
    job();
    var_dump(xhprof_write());
    ini_set('xhprof.output_dir', $directory);
    file_put_contents("$directory/large", str_repeat('x', 70_000));
    ini_set('xhprof.max_dir_size', '64K');
    xhprof_enable(0, ['mode' => $mode]);
    job();
    var_dump(xhprof_write());
    foreach (glob("$directory/.x*.ledger") as $ledger) unlink($ledger);
    unlink("$directory/large");
    ini_set('xhprof.max_dir_size', '200K');
    xhprof_enable(0, ['mode' => $mode]);
    job();
    var_dump(is_file($path = xhprof_write()));
    unlink($path);
    foreach (glob("$directory/.x*.ledger") as $ledger) { echo explode(' ', file_get_contents($ledger))[3] > 0 ? "counted\n" : "not counted\n"; unlink($ledger); }
    ini_set('xhprof.max_dir_size', '0');
}
echo "only the automatic profile runs\n";
$elsewhere = make_directory();
$ended = run_code('<?php var_dump(xhprof_write(), xhprof_status()["automatic"]);', 'xhprof.auto_enable=1', "xhprof.output_dir=$elsewhere", 'display_errors=1', 'html_errors=0');
echo preg_replace('/ in \/.*/', '', $ended->output), count(glob("$elsewhere/*.xhp")), " file\n";
remove_directory($elsewhere);
echo "what may be given\n";
foreach ([["x\0y"], [[]], [null, null]] as $arguments) {
    try { var_dump(xhprof_write(...$arguments)); } catch (Error $error) { echo get_class($error), ': ', $error->getMessage(), "\n"; }
}
ini_set('open_basedir', $directory);
xhprof_enable();
var_dump(xhprof_write('/tmp/elsewhere.xhp'), xhprof_status()['mode']);
var_dump(is_file(xhprof_write("$directory/inside.xhp")));
unlink("$directory/inside.xhp");
print_r(array_diff(scandir($directory), ['.', '..']));
rmdir($directory);

?>
--EXPECT--
nothing runs
xhprof_write(): nothing is being recorded; call xhprof_enable() first
bool(false)
tree
xhprof_write(): cannot write the profile DIR/none/x.xhp: No such file or directory (os error 2)
bool(false)
string(3) "off"
xhprof_write(): cannot write the profile /dev/null: it is not a file
bool(false)
string(3) "off"
xhprof_write(): cannot write the profile DIR/none/ID.write-refused.xhp: No such file or directory (os error 2)
bool(false)
string(3) "off"
string(9) "untouched"
bool(false)
xhprof_write(): cannot write the profile DIR/none/ID.write-refused.xhp: No such file or directory (os error 2)
bool(false)
xhprof_write(): a profile was dropped: DIR has reached xhprof.max_dir_size; 1 so far
bool(false)
bool(true)
counted
events
xhprof_write(): cannot write the profile DIR/none/x.xhp: No such file or directory (os error 2)
bool(false)
string(3) "off"
xhprof_write(): cannot write the profile /dev/null: it is not a file
bool(false)
string(3) "off"
xhprof_write(): cannot write the profile DIR/none/ID.write-refused.xhp: No such file or directory (os error 2)
bool(false)
string(3) "off"
string(9) "untouched"
bool(false)
xhprof_write(): cannot write the profile DIR/none/ID.write-refused.xhp.partial: No such file or directory (os error 2)
bool(false)
xhprof_write(): a profile was dropped: DIR has reached xhprof.max_dir_size; 1 so far
bool(false)
bool(true)
counted
only the automatic profile runs

Warning: xhprof_write(): only the automatic profile is running, which is written when the request ends; call xhprof_enable() first
bool(false)
bool(true)
1 file
what may be given
ValueError: xhprof_write(): Argument #1 ($file) must not contain any null bytes
TypeError: xhprof_write(): Argument #1 ($file) must be of type ?string, array given
ArgumentCountError: xhprof_write() expects at most 1 argument, 2 given
xhprof_write(): open_basedir restriction in effect. File(/tmp/elsewhere.xhp) is not within the allowed path(s): (DIR)
bool(false)
string(5) "edges"
bool(true)
Array
(
)
