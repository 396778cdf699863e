--TEST--
Each fiber counts recursion levels of its own
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function down(int $n) { if ($n > 0) { down($n - 1); } else { Fiber::suspend(); leaf(); } }
function leaf() {}
function left() { down(2); }
function right() { down(1); }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
$left = new Fiber('left');
$right = new Fiber('right');
$left->start();
$right->start();
leaf();
$left->resume();
$right->resume();
(function () { down_outside(1); })();
print_calls(matching(xhprof_disable(), '/^(?!.*closure)/'));

function down_outside(int $n) { if ($n > 0) { down_outside($n - 1); } }
?>
--EXPECT--
main()==>leaf: 1
down@2==>leaf: 1
down@1==>down@2: 1
down==>down@1: 2
left==>down: 1
main()==>left: 1
down@1==>leaf: 1
right==>down: 1
main()==>right: 1
down_outside==>down_outside@1: 1
main(): 1
