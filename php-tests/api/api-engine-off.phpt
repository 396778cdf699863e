--TEST--
With xhprof.engine=off enable warns and records nothing; sampling needs no engine
--EXTENSIONS--
xhprof
--INI--
xhprof.engine=off
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function work() { return 'result'; }

xhprof_enable();
echo work(), "\n";
print_calls(xhprof_disable());
xhprof_sample_enable();
echo gettype(xhprof_sample_disable()), "\n";
?>
--EXPECTF--
Warning: xhprof_enable(): nothing is recorded: xhprof.engine is off in %s on line %d
result
no profile
array
