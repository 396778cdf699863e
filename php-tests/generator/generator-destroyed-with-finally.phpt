--TEST--
The finally block of a destroyed generator runs as one more resume
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function numbers() { try { yield 1; leaf(); } finally { cleanup(); } }
function leaf() {}
function cleanup() {}
function work() { $numbers = numbers(); $numbers->current(); $numbers = null; leaf(); }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
print_calls(xhprof_disable());
?>
--EXPECT--
work==>numbers: 2
numbers==>cleanup: 1
work==>leaf: 1
main()==>work: 1
main(): 1
