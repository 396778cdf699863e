--TEST--
The memory of a function's variables is given back inside the function
--EXTENSIONS--
xhprof
--FILE--
<?php
function local() { $gone = str_repeat('x', 1_000_000); }

local();
xhprof_enable(XHPROF_FLAGS_MEMORY);
local();
$mu = xhprof_disable()['main()==>local']['mu'];
echo abs($mu) < 10_000 ? "nothing kept\n" : "$mu bytes kept\n";
?>
--EXPECT--
nothing kept
