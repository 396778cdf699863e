--TEST--
A full disk: the program ends as without a profile, one line in the log, and no part of a file stays
--EXTENSIONS--
xhprof
--SKIPIF--
<?php
if (PHP_OS_FAMILY !== 'Linux') die('skip a file system in memory as Linux has it');
$mounts = 'mount -t tmpfs -o size=8k tmpfs ' . escapeshellarg(__DIR__);
exec("unshare --mount sh -c '$mounts' 2>/dev/null", $output, $status);
if ($status !== 0) die('skip this user may not mount a file system of its own');
?>
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$folder = make_directory();
mkdir("$folder/full");
file_put_contents("$folder/script", '<?php
function leaf($i) { return $i + 1; }
for ($i = 0; $i < 2000; $i++) eval("function f$i() { return leaf($i); }");
for ($i = 0; $i < 2000; $i++) ("f$i")();
echo "done\n";
');
$php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
$options = getenv('TEST_PHP_EXTRA_ARGS');
foreach (['tree', 'edges', 'events'] as $mode) {
    @unlink("$folder/log");
    // 4 KiB are free: less than the profile, more than its beginning.
    $commands = "mount -t tmpfs -o size=8k tmpfs $folder/full
        head -c 4096 /dev/zero >$folder/full/other
        $php $options -d xhprof.auto_enable=1 -d xhprof.mode=$mode -d xhprof.output_dir=$folder/full \
            -d display_errors=1 -d log_errors=1 -d error_log=$folder/log $folder/script
        echo \"status $?\"
        ls -A $folder/full";
    exec('unshare --mount sh -c ' . escapeshellarg($commands) . ' 2>&1', $output);
    $log = is_file("$folder/log") ? file("$folder/log") : [];
    $said = preg_grep('/xhprof: cannot write the profile .*: No space left on device/', $log);
    echo "$mode: ", implode(' ', $output), ', ', count($log), ' line, ', count($said), " of them ours\n";
    $output = [];
}
array_map(unlink(...), ["$folder/script", "$folder/log"]);
rmdir("$folder/full");
remove_directory($folder);
?>
--EXPECT--
tree: done status 0 other, 1 line, 1 of them ours
edges: done status 0 other, 1 line, 1 of them ours
events: done status 0 other, 1 line, 1 of them ours
