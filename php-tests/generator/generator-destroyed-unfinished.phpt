--TEST--
A generator that is destroyed before it ended adds nothing
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function numbers() { yield 1; yield 2; leaf(); }
function leaf() {}
function work()
{
    $fresh = numbers();
    $fresh = null;
    $started = numbers();
    $started->current();
    $started = null;
    leaf();
    foreach (numbers() as $n) { break; }
    leaf();
}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
print_calls(xhprof_disable());
?>
--EXPECT--
work==>numbers: 2
work==>leaf: 2
main()==>work: 1
main(): 1
