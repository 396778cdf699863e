--TEST--
Options of a wrong type or meaning give a warning and are not used; the profile begins all the same
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() {}

set_error_handler(function ($level, $message) { echo $message, "\n"; });
foreach ([
    ['mode' => 'trees'],
    ['mode' => 'sample'],
    ['mode' => null],
    ['mode' => "tr\0ee\nmany"],
    ['mode' => 'TREE'],
    ['lines' => 1, 'mode' => 'tree'],
    ['lines' => true],
    ['lines' => true, 'mode' => 'tree'],
    ['title' => ['x']],
    ['title' => new stdClass],
    ['tags' => 'x'],
    ['tags' => ['with space' => 'x', 'status' => 'x', 'number' => 7, 3 => 'three', '' => 'x']],
    ['tags' => array_map(strval(...), range(1, 66))],
] as $options) {
    xhprof_enable(XHPROF_FLAGS_NO_BUILTINS, $options);
    $mode = xhprof_status()['mode'];
    a();
    echo $mode, ' ', json_encode(array_map(fn ($row) => $row['ct'], xhprof_disable())), "\n";
}
// A handler that takes the array away, and one that begins a profile itself.
$options = array_merge(['title' => str_repeat('t', 100)], ['tags' => ['n' => 7]], ['mode' => 'tree']);
set_error_handler(function () use (&$options) { $options = null; xhprof_enable(XHPROF_FLAGS_NO_BUILTINS); });
xhprof_enable(0, $options);
echo xhprof_status()['mode'], "\n";
xhprof_disable();
var_dump(xhprof_disable());
foreach ([[null], ['x'], [0, null], [0, 'x'], [0, [], 1]] as $arguments) {
    try {
        xhprof_enable(...$arguments);
        xhprof_disable();
    } catch (Error $error) {
        echo get_class($error), ': ', $error->getMessage(), "\n";
    }
}
?>
--EXPECT--
xhprof_enable(): option "mode" must be "edges", "tree" or "events", not "trees"
edges {"main()==>a":1,"main()":1}
xhprof_enable(): option "mode" cannot be "sample": call xhprof_sample_enable() for that
edges {"main()==>a":1,"main()":1}
xhprof_enable(): option "mode" must be "edges", "tree" or "events", not null
edges {"main()==>a":1,"main()":1}
xhprof_enable(): option "mode" must be "edges", "tree" or "events", not "tr?ee?many"
edges {"main()==>a":1,"main()":1}
tree {"main()==>a":1,"main()":1}
xhprof_enable(): option "lines" must be a bool, not int
tree {"main()==>a":1,"main()":1}
xhprof_enable(): option "lines" needs the mode "tree" or "events"
edges {"main()==>a":1,"main()":1}
tree {"main()==>a":1,"main()":1}
xhprof_enable(): option "title" must be a string, not array
edges {"main()==>a":1,"main()":1}
xhprof_enable(): option "title" must be a string, not object
edges {"main()==>a":1,"main()":1}
xhprof_enable(): option "tags" must be an array of strings, not string
edges {"main()==>a":1,"main()":1}
xhprof_enable(): a tag's key must be 1 to 64 letters, digits, _ and -
xhprof_enable(): the tag "status" is set by xhprof itself; choose another key
xhprof_enable(): option "tags" must hold strings; "number" of type int is skipped
xhprof_enable(): a tag's key must be 1 to 64 letters, digits, _ and -
edges {"main()==>a":1,"main()":1}
xhprof_enable(): a profile has 64 tags at most; "64" is not recorded
edges {"main()==>a":1,"main()":1}
edges
NULL
TypeError: xhprof_enable(): Argument #1 ($flags) must be of type int, string given
TypeError: xhprof_enable(): Argument #2 ($options) must be of type array, null given
TypeError: xhprof_enable(): Argument #2 ($options) must be of type array, string given
ArgumentCountError: xhprof_enable() expects at most 2 arguments, 3 given
