--TEST--
A profile that the script begins itself, after it took the automatic one, is not written
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/include/calls.php';
require __DIR__ . '/include/child.php';

$directory = make_directory();
$code = '<?php
function first() {}
function second() {}
first();
xhprof_disable();
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
second();
';
$ended = run_code($code, 'xhprof.auto_enable=1', 'xhprof.output_format=xhprof', "xhprof.output_dir=$directory");
echo $ended->output, $ended->errors;
foreach (glob("$directory/*.xhprof") as $file) {
    print_calls(matching(unserialize(file_get_contents($file)), '/first|second|^main..$/'));
}
remove_directory($directory);
?>
--EXPECT--
main()==>first: 1
main(): 1
