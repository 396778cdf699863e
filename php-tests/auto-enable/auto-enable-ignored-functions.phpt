--TEST--
xhprof.exclude leaves functions out of automatic profiles, and of those that programs begin
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';
require __DIR__ . '/../include/child.php';
$directory = make_directory();
$code = '<?php
class A { static function b() { leaf(); } static function c() {} }
function leaf() {}
function other() { leaf(); A::b(); }
other(); A::c();
';
$settings = ['xhprof.output_format=xhprof', 'xhprof.flags=no_builtins', "xhprof.output_dir=$directory", 'xhprof.exclude="A::b, other"'];
$ended = run_code($code, 'xhprof.auto_enable=1', ...$settings);
foreach (glob("$directory/*.xhprof") as $file) {
    print_calls(matching(unserialize(file_get_contents($file)), '/^(?!main\(\)==>load::)/'));
}
$ended = run_code('<?php function other() {} xhprof_enable(1); other(); echo implode(" ", array_keys(xhprof_disable())), "\n";', ...$settings);
echo $ended->output, $ended->errors;
remove_directory($directory);
?>
--EXPECT--
main()==>leaf: 2
main()==>A::c: 1
main(): 1
main()
