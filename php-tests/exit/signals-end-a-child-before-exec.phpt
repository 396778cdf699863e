--TEST--
A signal ends a child of proc_open() that has not called exec() yet
--EXTENSIONS--
xhprof
--SKIPIF--
<?php if (PHP_OS_FAMILY === 'Windows') die('skip there are no signals'); ?>
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$directory = make_directory();
// The signal is sent at once: the child may still be a copy of PHP.
$code = '<?php
for ($i = 0; $i < 20; $i++) {
    $child = proc_open(["sleep", "60"], [], $pipes);
    proc_terminate($child);
    for ($j = 0; ($status = proc_get_status($child))["running"] && $j < 3000; $j++) {
        usleep(10_000);
    }
    if ($status["running"]) {
        proc_terminate($child, 9);
        exit("one signal did not end it\n");
    }
    if ($status["termsig"] !== 15) {
        exit("it ended by {$status["termsig"]}\n");
    }
}
echo "all ended\n";
';
$ended = run_code($code, 'xhprof.auto_enable=1', "xhprof.output_dir=$directory");
echo $ended->output, $ended->errors;
echo count(glob("$directory/*")), " profile\n";
remove_directory($directory);
?>
--EXPECT--
all ended
1 profile
