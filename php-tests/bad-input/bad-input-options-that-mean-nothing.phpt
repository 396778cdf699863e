--TEST--
Options that are not known give a warning that names the nearest known one; empty lists, references and nesting do not
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() { b(); }
function b() {}

set_error_handler(function ($level, $message) {
    echo $level === E_WARNING ? '' : 'no warning: ', strtr($message, ["\0" => '\0', "\xff" => '\xff']), "\n";
});
$recursive = ['ignored_functions' => []];
$recursive['itself'] = &$recursive;
$name = 'b';
foreach ([
    ['ignored_functions' => []],
    ['ignored_functions' => ''],
    ['ignored' => ['b']],
    ['Ignored_Functions' => ['b']],
    ['functions' => ['b']],
    ['titel' => 'b', 'tag' => [], 'moed' => 'tree'],
    [7 => 'b', '' => 'b', "\0" => 'b', "\xff" => 'b'],
    ['xhprof.flags' => 1, str_repeat('long', 100) => 1],
    array_fill(0, 1000, 'b'),
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
xhprof_enable(): option "ignored" is not known; did you mean "ignored_functions"?
3
xhprof_enable(): option "Ignored_Functions" is not known; did you mean "ignored_functions"?
3
xhprof_enable(): option "functions" is not known; did you mean "ignored_functions"?
3
xhprof_enable(): option "titel" is not known; did you mean "title"?
xhprof_enable(): option "tag" is not known; did you mean "tags"?
xhprof_enable(): option "moed" is not known; did you mean "mode"?
3
xhprof_enable(): option "7" is not known; there are mode, lines, title, tags, ignored_functions
xhprof_enable(): option "" is not known; there are mode, lines, title, tags, ignored_functions
xhprof_enable(): option "?" is not known; there are mode, lines, title, tags, ignored_functions
xhprof_enable(): option "�" is not known; there are mode, lines, title, tags, ignored_functions
3
xhprof_enable(): option "xhprof.flags" is not known; there are mode, lines, title, tags, ignored_functions
xhprof_enable(): option "longlonglonglonglonglonglonglonglonglong" is not known; there are mode, lines, title, tags, ignored_functions
3
xhprof_enable(): option "0" is not known; there are mode, lines, title, tags, ignored_functions
xhprof_enable(): option "1" is not known; there are mode, lines, title, tags, ignored_functions
xhprof_enable(): option "2" is not known; there are mode, lines, title, tags, ignored_functions
xhprof_enable(): option "3" is not known; there are mode, lines, title, tags, ignored_functions
xhprof_enable(): option "4" is not known; there are mode, lines, title, tags, ignored_functions
xhprof_enable(): 995 more options are not known
3
xhprof_enable(): option "itself" is not known; there are mode, lines, title, tags, ignored_functions
3
3
main()==>a: 1
main(): 1
