--TEST--
The automatic profile yields to a script's own: each has its own calls, and the script's functions work as ever
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';
require __DIR__ . '/../include/child.php';

$code = '<?php
function before() {}
function during() {}
function after() {}
function caller() { during(); xhprof_enable(XHPROF_FLAGS_NO_BUILTINS); during(); callee(); return 1; }
function callee() { during(); }
function outer() { before(); caller(); during(); before(); }
var_dump(xhprof_disable());
before();
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
xhprof_enable();
during();
$first = xhprof_disable();
var_dump(xhprof_disable());
after();
outer();
$second = xhprof_disable();
after();
xhprof_sample_enable(); during(); usleep(1000); $third = xhprof_sample_disable();
after();
$calls = fn ($profile) => array_map(fn ($row) => $row["ct"], $profile);
echo json_encode([$calls($first), $calls($second), is_array($third)]), "\n";
xhprof_enable(); during();
';
foreach (['edges', 'tree'] as $mode) {
    $directory = make_directory();
    $ended = run_code($code, 'xhprof.auto_enable=1', "xhprof.mode=$mode", 'xhprof.flags=no_builtins cpu', 'xhprof.output_format=xhprof', "xhprof.output_dir=$directory");
    echo $ended->output, $ended->errors;
    $files = glob("$directory/*");
    echo count($files), " file\n";
    $profile = unserialize(file_get_contents($files[0]));
    check_shape($profile, ['ct', 'wt', 'cpu']);
    $rows = explode("\n", trim(calls_of(matching($profile, '/^(?!.*(load|closure))/'))));
    sort($rows);
    echo implode("\n", $rows), "\n";
    remove_directory($directory);
}
?>
--EXPECT--
NULL
NULL
[{"main()==>during":1,"main()":1},{"main()==>during":2,"callee==>during":1,"main()==>callee":1,"main()==>before":1,"main()":1},true]
1 file
caller==>during: 1
main(): 1
main()==>[profiled by the program]: 4
main()==>after: 3
main()==>before: 1
main()==>outer: 1
outer==>before: 1
outer==>caller: 1
NULL
NULL
[{"main()==>during":1,"main()":1},{"main()==>during":2,"callee==>during":1,"main()==>callee":1,"main()==>before":1,"main()":1},true]
1 file
caller==>during: 1
main(): 1
main()==>[profiled by the program]: 4
main()==>after: 3
main()==>before: 1
main()==>outer: 1
outer==>before: 1
outer==>caller: 1
