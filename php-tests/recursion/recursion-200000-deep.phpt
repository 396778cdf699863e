--TEST--
Recursion 200,000 deep gives the program's result, and calls after it are recorded
--EXTENSIONS--
xhprof
--INI--
memory_limit=1G
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function down(int $n) { return $n > 0 ? 1 + down($n - 1) : 1; }
function after() { return 1; }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
$result = down(199_999);
after();
down(2);
$profile = xhprof_disable();
check_shape($profile);
print_calls(matching($profile, '/^main|==>down@[123]$/'));
echo "result $result\n";
?>
--EXPECT--
down@2==>down@3: 1
down@1==>down@2: 2
down==>down@1: 2
main()==>down: 2
main()==>after: 1
main(): 1
result 200000
