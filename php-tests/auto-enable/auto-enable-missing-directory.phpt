--TEST--
Where the directory cannot be written, output, status and error handlers notice nothing, and the log has one line
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$code = '<?php
set_error_handler(function () { echo "error handler called\n"; });
echo "output\n";
exit(3);';
foreach (['/not/there', '/dev/null', '/proc/self'] as $directory) {
    foreach (['tree', 'events'] as $mode) {
        $log = tempnam(sys_get_temp_dir(), 'xhprof-test-');
        $ended = run_code($code, 'xhprof.auto_enable=1', "xhprof.mode=$mode", "xhprof.output_dir=$directory", "error_log=$log", 'display_errors=1', 'log_errors=1');
        $lines = file($log);
        unlink($log);
        echo $ended->output, $ended->errors, "status $ended->status, ", count($lines), " line in the log\n";
        if (!preg_match("~^\\[[^]]+\\] xhprof: cannot write the profile $directory/~", implode($lines))) { echo implode($lines); }
    }
}
?>
--EXPECT--
output
status 3, 1 line in the log
output
status 3, 1 line in the log
output
status 3, 1 line in the log
output
status 3, 1 line in the log
output
status 3, 1 line in the log
output
status 3, 1 line in the log
