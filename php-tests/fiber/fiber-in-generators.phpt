--TEST--
Fibers suspended inside generators, and generators resumed in other fibers, keep their callers
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function numbers() { leaf(); yield 1; Fiber::suspend(); leaf(); yield 2; }
function task() { foreach (numbers() as $n) { step(); } }
function handed(Generator $g) { $g->next(); }
function leaf() {}
function step() {}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
$fiber = new Fiber('task');
$fiber->start();
leaf();
$fiber->resume();

$g = (function () { leaf(); yield 1; leaf(); yield 2; })();
$g->current();
$fiber = new Fiber('handed');
$fiber->start($g);
print_calls(matching(xhprof_disable(), '/^(numbers|task|handed|main)/'));
?>
--EXPECTF--
numbers==>leaf: 2
task==>numbers: 3
task==>step: 2
main()==>leaf: 1
main()==>task: 1
main()==>{closure%S}: 1
handed==>{closure%S}: 1
main()==>handed: 1
main(): 1
