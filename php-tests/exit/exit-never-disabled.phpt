--TEST--
A script that never disables its profile ends as it would without one
--EXTENSIONS--
xhprof
--FILE--
<?php
class Last { public function __destruct() { leaf(); echo "destroyed\n"; } }
function leaf() {}
function work() { leaf(); return 1; }

$kept = new Last;
xhprof_enable(XHPROF_FLAGS_CPU | XHPROF_FLAGS_MEMORY);
work();
echo "end\n";
?>
--EXPECT--
end
destroyed
