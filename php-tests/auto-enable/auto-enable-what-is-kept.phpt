--TEST--
xhprof.min_duration decides at the end what is written, and profiles of failed programs are, in every mode, and nothing else is left
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

// Enough calls for events to be written before the end.
$calls = 'function f() {} for ($i = 0; $i < 300000; $i++) f(); ';
foreach ([
    'short' => '',
    'exit(3)' => 'exit(3);',
    'fatal error' => 'class A implements B {}',
    'uncaught' => 'throw new Exception;',
    'user error' => 'trigger_error("x", E_USER_ERROR);',
    'warning' => 'echo $x;',
    'caught' => 'try { throw new Exception; } catch (Exception) {}',
] as $what => $code) {
    echo "$what:";
    foreach (['tree', 'events'] as $mode) {
        $directory = make_directory();
        run_code("<?php $calls$code", 'xhprof.auto_enable=1', "xhprof.mode=$mode", "xhprof.output_dir=$directory",
            'xhprof.min_duration=3600000', 'display_errors=0');
        $files = array_diff(scandir($directory), ['.', '..']);
        echo " $mode ", count($files), count(glob("$directory/*.xhp")) === count($files) ? '' : implode(' ', $files);
        remove_directory($directory);
    }
    echo "\n";
}
// The program may change its mind.
$directory = make_directory();
run_code('<?php ini_set("xhprof.min_duration", "0");', 'xhprof.auto_enable=1', "xhprof.output_dir=$directory", 'xhprof.min_duration=3600000');
run_code('<?php usleep(2000);', 'xhprof.auto_enable=1', "xhprof.output_dir=$directory", 'xhprof.min_duration=1');
echo count(glob("$directory/*.xhp")), " more\n";
remove_directory($directory);
?>
--EXPECT--
short: tree 0 events 0
exit(3): tree 0 events 0
fatal error: tree 1 events 1
uncaught: tree 1 events 1
user error: tree 1 events 1
warning: tree 0 events 0
caught: tree 0 events 0
2 more
