--TEST--
A link into /proc, such as /dev/stdout, is not replaced by a profile
--EXTENSIONS--
xhprof
--SKIPIF--
<?php if (!is_dir('/proc/self')) die('skip no /proc'); ?>
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$directory = make_directory();
set_error_handler(function ($level, $message) use ($directory) {
    if (error_reporting() & $level) echo str_replace($directory, 'DIR', $message), "\n";
});
// Like /dev/stdout where the output is a file, and /etc/mtab.
$output = fopen("$directory/output", 'w');
foreach (scandir('/proc/self/fd') as $number) {
    if (@readlink("/proc/self/fd/$number") === "$directory/output") {
        symlink("/proc/self/fd/$number", "$directory/fd.xhp");
        break;
    }
}
symlink('/proc/self/status', "$directory/status.xhp");
symlink(str_repeat('../', 20) . 'proc/self/status', "$directory/relative.xhp");
foreach (['fd', 'status', 'relative'] as $name) {
    $path = "$directory/$name.xhp";
    foreach (['tree', 'events'] as $mode) {
        xhprof_enable(0, ['mode' => $mode]);
        var_dump(xhprof_write($path), is_link($path));
    }
    xhprof_enable(0, ['mode' => 'tree']);
    var_dump(xhprof_dump($path), is_link($path));
    xhprof_disable();
}
fclose($output);
remove_directory($directory);
?>
--EXPECT--
xhprof_write(): cannot write the profile DIR/fd.xhp: it is not a file
bool(false)
bool(true)
xhprof_write(): cannot write the profile DIR/fd.xhp: it is not a file
bool(false)
bool(true)
xhprof_dump(): cannot write the profile DIR/fd.xhp: it is not a file
bool(false)
bool(true)
xhprof_write(): cannot write the profile DIR/status.xhp: it is not a file
bool(false)
bool(true)
xhprof_write(): cannot write the profile DIR/status.xhp: it is not a file
bool(false)
bool(true)
xhprof_dump(): cannot write the profile DIR/status.xhp: it is not a file
bool(false)
bool(true)
xhprof_write(): cannot write the profile DIR/relative.xhp: it is not a file
bool(false)
bool(true)
xhprof_write(): cannot write the profile DIR/relative.xhp: it is not a file
bool(false)
bool(true)
xhprof_dump(): cannot write the profile DIR/relative.xhp: it is not a file
bool(false)
bool(true)
