--TEST--
An exception through recursive frames puts the levels back
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function down(int $n) { if ($n === 0) { throw new Exception; } down($n - 1); }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
for ($i = 0; $i < 3; $i++) {
    try { down(2); } catch (Exception) {}
}
print_calls(xhprof_disable());
?>
--EXPECT--
down@1==>down@2: 3
down==>down@1: 3
main()==>down: 3
main(): 1
