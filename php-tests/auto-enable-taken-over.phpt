--TEST--
A script that disables the automatic profile gets it, and what it got is what is written
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/include/child.php';

$directory = make_directory();
$code = '<?php
function work() {}
work();
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
$profile = xhprof_disable();
work();
echo json_encode($profile);
';
$ended = run_code($code, 'xhprof.auto_enable=1', 'xhprof.output_format=xhprof', "xhprof.output_dir=$directory");
$returned = json_decode($ended->output, true);
echo $returned['main()==>work']['ct'], ' ', implode(' ', array_keys($returned['main()'])), "\n";
$files = glob("$directory/*.xhprof");
echo count($files), " file\n";
var_dump(unserialize(file_get_contents($files[0])) === $returned);
remove_directory($directory);
?>
--EXPECT--
2 ct wt cpu mu pmu
1 file
bool(true)
