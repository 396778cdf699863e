--TEST--
A fiber at the address of an earlier one, in which the profile began, is a fiber of its own
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function restart() { xhprof_disable(); xhprof_enable(XHPROF_FLAGS_NO_BUILTINS); leaf(); }
function work() { leaf(); Fiber::suspend(); leaf(); }
function leaf() {}
function once(string $function) { $fiber = new Fiber($function); $fiber->start(); if (!$fiber->isTerminated()) { $fiber->resume(); } }

xhprof_enable();
once('restart');
once('work');
once('work');
print_calls(xhprof_disable());
?>
--EXPECT--
main()==>leaf: 1
work==>leaf: 4
once==>work: 2
main()==>once: 2
main(): 1
