--TEST--
An automatic profile is written after uncaught exceptions, fatal errors and the memory limit too
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';
require __DIR__ . '/../include/child.php';

$declarations = '<?php function a() { b(); } function b() { c(); } ';
foreach ([
    'function c() { throw new Exception; }',
    'function c() { eval("function a() {}"); }',
    'ini_set("memory_limit", "8M"); function c() { str_repeat("x", 100_000_000); }',
    'function c() { die; }',
] as $c) {
    $directory = make_directory();
    $ended = run_code("$declarations $c a();", 'xhprof.auto_enable=1', 'xhprof.output_format=xhprof', "xhprof.output_dir=$directory", 'display_errors=0', 'xhprof.flags=no_builtins');
    echo $ended->output, $ended->errors;
    foreach (glob("$directory/*.xhprof") as $file) {
        $profile = unserialize(file_get_contents($file));
        check_shape($profile);
        print_calls(matching($profile, '/^(?!.*(load|eval)::)/'));
    }
    remove_directory($directory);
}
?>
--EXPECT--
b==>c: 1
a==>b: 1
main()==>a: 1
main(): 1
b==>c: 1
a==>b: 1
main()==>a: 1
main(): 1
b==>c: 1
a==>b: 1
main()==>a: 1
main(): 1
b==>c: 1
a==>b: 1
main()==>a: 1
main(): 1
