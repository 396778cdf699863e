--TEST--
With xhprof.auto_enable each request is written as a private file that XHProf's tools can read
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';
require __DIR__ . '/../include/child.php';

$directory = make_directory();
$code = '<?php
function work() { return leaf() + array_sum([1]); }
function leaf() { return 1; }
class Last { function __destruct() { leaf(); } }
$last = new Last;
register_shutdown_function("leaf");
work();
echo "output\n";
exit(3);
';
$ended = run_code($code, 'xhprof.auto_enable=1', 'xhprof.output_format=xhprof', "xhprof.output_dir=$directory");
echo $ended->output, $ended->errors, "status $ended->status\n";

$files = array_values(array_diff(scandir($directory), ['.', '..']));
echo count($files), " file\n";
echo preg_match('/^[0-9a-f]{32}\.[A-Za-z0-9_-]+\.xhprof$/', $files[0]) ? "named right\n" : "named $files[0]\n";
printf("mode %o\n", fileperms("$directory/$files[0]") & 0777);
$profile = unserialize(file_get_contents("$directory/$files[0]"), ['allowed_classes' => false]);
check_shape($profile, ['ct', 'wt', 'cpu', 'mu', 'pmu']);
$time = $profile['main()']['wt'];
echo $time > 0 && $time < 86_400_000_000 ? "main() took time\n" : "main(): $time\n";
print_calls(matching($profile, '/^(?!.*==>exit$)/'));
remove_directory($directory);
?>
--EXPECTF--
output
status 3
1 file
named right
mode 600
main() took time
main()==>load::%s: 1
main()==>register_shutdown_function: 1
work==>leaf: 1
work==>array_sum: 1
main()==>work: 1
main()==>leaf: 1
Last::__destruct==>leaf: 1
main()==>Last::__destruct: 1
main(): 1
