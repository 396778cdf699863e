--TEST--
A relative xhprof.output_dir is one of where the request began, wherever the program goes
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$directory = make_directory();
mkdir("$directory/profiles");
mkdir("$directory/below");
mkdir("$directory/below/profiles");
chdir($directory);
foreach (['tree', 'events', 'sample'] as $mode) {
    $ended = run_code(
        '<?php function f() {} for ($i = 0; $i < 100; $i++) f(); chdir("below"); for ($i = 0; $i < 300000; $i++) f();',
        'xhprof.auto_enable=1', "xhprof.mode=$mode", 'xhprof.output_dir=profiles', 'xhprof.max_per_minute=100', 'xhprof.max_dir_size=1G',
    );
    echo $mode, ': ', count(glob('profiles/*.xhp')), $ended->errors, "\n";
}
echo count(glob('profiles/.xhprof-*')), " ledger\n";
remove_directory('profiles');
remove_directory('below/profiles');
remove_directory('below');
remove_directory($directory);
?>
--EXPECT--
tree: 1
events: 2
sample: 3
1 ledger
