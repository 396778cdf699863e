--TEST--
Where the directory cannot be written, the program's output and status stay, with one warning
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/include/child.php';

$code = '<?php echo "output\n"; exit(3);';
foreach (['/not/there', '/dev/null', '/proc/self'] as $directory) {
    $ended = run_code($code, 'xhprof.auto_enable=1', "xhprof.output_dir=$directory", 'display_errors=stderr');
    echo $ended->output, "status $ended->status, ", substr_count($ended->errors, 'Warning:'), " warning\n";
    if (!str_contains($ended->errors, $directory)) { echo $ended->errors; }
}
?>
--EXPECT--
output
status 3, 1 warning
output
status 3, 1 warning
output
status 3, 1 warning
