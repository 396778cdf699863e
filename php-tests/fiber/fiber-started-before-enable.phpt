--TEST--
The calls of a fiber started before enable are main()'s, not its resumer's
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function task() { while (true) { Fiber::suspend(); a(); } }
function a() { b(); }
function b() {}
function resume(Fiber $fiber) { $fiber->resume(); b(); }

$fiber = new Fiber('task');
$fiber->start();
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
resume($fiber);
resume($fiber);
print_calls(xhprof_disable());
?>
--EXPECT--
a==>b: 2
main()==>a: 2
resume==>b: 2
main()==>resume: 2
main(): 1
