--TEST--
Compiling a string is recorded as eval:: with its file and line, and its code is its caller's
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function helper() {}
function work() {
    eval('helper();');
    eval('helper(); eval("helper();");');
}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
eval('');
$profile = xhprof_disable();
foreach ($profile as $edge => $cost) {
    echo str_replace(__DIR__, 'DIR', $edge), ": {$cost['ct']}\n";
}
?>
--EXPECT--
work==>eval::DIR/eval-name.php(6) : eval()'d code: 1
work==>helper: 3
work==>eval::DIR/eval-name.php(7) : eval()'d code: 1
work==>eval::DIR/eval-name.php(7) : eval()'d code(1) : eval()'d code: 1
main()==>work: 1
main()==>eval::DIR/eval-name.php(12) : eval()'d code: 1
main(): 1
