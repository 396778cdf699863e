--TEST--
Recursion 20,000 deep has a row for each level
--EXTENSIONS--
xhprof
--INI--
memory_limit=512M
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function down(int $n) { return $n > 0 ? 1 + down($n - 1) : 1; }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
$result = down(19_999);
$profile = xhprof_disable();
check_shape($profile);
print_calls(matching($profile, '/^main|down@1999[89]$/'));
echo count($profile), ' rows, result ', $result, "\n";
?>
--EXPECT--
down@19998==>down@19999: 1
down@19997==>down@19998: 1
main()==>down: 1
main(): 1
20001 rows, result 20000
