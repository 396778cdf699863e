--TEST--
A program that may open no more files ends as without a profile, and one line in the log says why there is none
--EXTENSIONS--
xhprof
posix
--SKIPIF--
<?php
if (!function_exists('posix_setrlimit')) die('skip this system has no posix_setrlimit()');
?>
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$folder = make_directory();
$code = '<?php
function leaf($i) { return $i + 1; }
leaf(1);
posix_setrlimit(POSIX_RLIMIT_NOFILE, 3, 3);
echo "done\n";
';
foreach (['tree', 'edges', 'events', 'sample'] as $mode) {
    // The log is standard error: another one could not be opened.
    $ended = run_code($code, 'xhprof.auto_enable=1', "xhprof.mode=$mode", "xhprof.output_dir=$folder", 'log_errors=1');
    $lines = explode("\n", trim($ended->errors));
    $said = preg_match('/xhprof: cannot write the profile .*\(os error 24\)/', $lines[0]) ? 'said' : $lines[0];
    echo "$mode: $ended->status, ", trim($ended->output), ', ', count($lines), " line, $said\n";
    echo implode(array_diff(scandir($folder), ['.', '..']));
}
remove_directory($folder);
?>
--EXPECT--
tree: 0, done, 1 line, said
edges: 0, done, 1 line, said
events: 0, done, 1 line, said
sample: 0, done, 1 line, said
