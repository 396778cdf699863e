--TEST--
A suspended fiber's open calls are no level for calls outside of it
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function work(bool $suspends) { if ($suspends) { Fiber::suspend(); } leaf(); }
function leaf() {}
function task() { work(true); }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
$fiber = new Fiber('task');
$fiber->start();
work(false);
$fiber->resume();
work(false);
print_calls(xhprof_disable());
?>
--EXPECT--
work==>leaf: 3
main()==>work: 2
task==>work: 1
main()==>task: 1
main(): 1
