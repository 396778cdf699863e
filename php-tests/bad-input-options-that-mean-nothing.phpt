--TEST--
Options with other keys, empty lists, references and nesting are taken in silence
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/include/calls.php';

function a() { b(); }
function b() {}

$recursive = ['ignored_functions' => []];
$recursive['itself'] = &$recursive;
$name = 'b';
foreach ([
    ['ignored_functions' => []],
    ['ignored_functions' => ''],
    ['Ignored_Functions' => ['b']],
    ['functions' => ['b']],
    [7 => 'b', '' => 'b', "\0" => 'b'],
    $recursive,
    ['ignored_functions' => ["b\0", "\xff", str_repeat('b', 100_000)]],
] as $options) {
    xhprof_enable(XHPROF_FLAGS_NO_BUILTINS, $options);
    a();
    echo count(xhprof_disable()), "\n";
}
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS, ['ignored_functions' => [&$name]]);
a();
print_calls(xhprof_disable());
?>
--EXPECT--
3
3
3
3
3
3
3
main()==>a: 1
main(): 1
