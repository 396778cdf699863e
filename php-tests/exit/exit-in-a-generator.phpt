--TEST--
exit() inside a generator closes it and its resumer
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function numbers() { yield 1; leaf(); exit; }
function work() { foreach (numbers() as $n) { leaf(); } }
function leaf() {}
function ending() { leaf(); print_calls(xhprof_disable()); }

register_shutdown_function('ending');
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
?>
--EXPECT--
work==>numbers: 2
work==>leaf: 1
numbers==>leaf: 1
main()==>work: 1
ending==>leaf: 1
main()==>ending: 1
main(): 1
