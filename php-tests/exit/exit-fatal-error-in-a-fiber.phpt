--TEST--
After a fatal error in a fiber a shutdown function gets a right array
--EXTENSIONS--
xhprof
--INI--
display_errors=0
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function task() { leaf(); Fiber::suspend(); deeper(); }
function deeper() { leaf(); eval('function leaf() {}'); }
function work() { $fiber = new Fiber('task'); $fiber->start(); $fiber->resume(); leaf(); }
function leaf() {}
function ending() { leaf(); inner(); print_calls(xhprof_disable()); }
function inner() { leaf(); }

register_shutdown_function('ending');
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
?>
--EXPECTF--
task==>leaf: 1
deeper==>leaf: 1
deeper==>eval::%s(%d) : eval()'d code: 1
task==>deeper: 1
work==>task: 1
main()==>work: 1
ending==>leaf: 1
inner==>leaf: 1
ending==>inner: 1
main()==>ending: 1
main(): 1
