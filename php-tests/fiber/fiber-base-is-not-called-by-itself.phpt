--TEST--
A fiber whose first function is the one that starts it has no row that calls itself
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function down(int $n) { if ($n > 0) { $fiber = new Fiber('down'); $fiber->start($n - 1); leaf(); } }
function leaf() {}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
down(3);
$profile = xhprof_disable();
check_shape($profile);

xhprof_enable();
$fiber = new Fiber([new Fiber(fn () => leaf()), 'start']);
$fiber->start();
$profile = xhprof_disable();
check_shape($profile);
echo "done\n";
?>
--EXPECT--
done
