--TEST--
xhprof.max_depth bounds the recorded stack, and what is deeper is charged to a [truncated] row
--EXTENSIONS--
xhprof
--INI--
xhprof.max_depth=4
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function down(int $n) { return $n > 0 ? 1 + down($n - 1) : 1; }
function after() { return 1; }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
var_dump(down(100));
after();
down(2);
down(100);
print_calls(xhprof_disable());
?>
--EXPECT--
int(101)
down@3==>[truncated]: 2
down@2==>down@3: 2
down@1==>down@2: 3
down==>down@1: 3
main()==>down: 3
main()==>after: 1
main(): 1
