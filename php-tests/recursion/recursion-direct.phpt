--TEST--
A recursive call is recorded with its level on both sides
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function down(int $n) { leaf(); if ($n > 0) { down($n - 1); } }
function leaf() {}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
down(3);
down(1);
print_calls(xhprof_disable());
?>
--EXPECT--
down==>leaf: 2
down@1==>leaf: 2
down@2==>leaf: 1
down@3==>leaf: 1
down@2==>down@3: 1
down@1==>down@2: 1
down==>down@1: 2
main()==>down: 2
main(): 1
