--TEST--
A child that outlives a fork writes an automatic profile of its own
--EXTENSIONS--
xhprof
pcntl
--FILE--
<?php
require __DIR__ . '/../include/calls.php';
require __DIR__ . '/../include/child.php';

$directory = make_directory();
$code = '<?php
function child() {}
function mother($child) { pcntl_waitpid($child, $status); }
$child = pcntl_fork();
$child === 0 ? child() : mother($child);
';
$ended = run_code($code, 'xhprof.auto_enable=1', 'xhprof.output_format=xhprof', 'xhprof.flags=no_builtins', "xhprof.output_dir=$directory");
echo $ended->output, $ended->errors;
$all = [];
foreach (glob("$directory/*.xhprof") as $file) {
    $profile = unserialize(file_get_contents($file));
    check_shape($profile);
    $all[] = calls_of(matching($profile, '/child|mother/'));
}
sort($all);
echo implode('', $all);
remove_directory($directory);
?>
--EXPECT--
main()==>child: 1
main()==>mother: 1
