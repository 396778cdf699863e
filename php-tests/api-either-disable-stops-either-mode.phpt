--TEST--
Each of the two disable functions stops either mode and returns what it recorded
--EXTENSIONS--
xhprof
--INI--
xhprof.sampling_interval=100
--FILE--
<?php
require __DIR__ . '/include/calls.php';
require __DIR__ . '/include/time.php';

function a() { spin_cpu(20); }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
a();
$calls = xhprof_sample_disable();
unset($calls['spin_cpu==>cpu_us']);
print_calls($calls);
var_dump(xhprof_disable());

xhprof_sample_enable();
a();
$samples = xhprof_disable();
// A slow machine may find the stack elsewhere once in a while, but not always.
var_dump((bool) preg_grep('/^main\(\)==>a\b/', $samples), xhprof_sample_disable());

// Tracing does not begin while sampling, either.
xhprof_sample_enable();
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
a();
var_dump(is_string(current(xhprof_disable())));
?>
--EXPECT--
a==>spin_cpu: 1
main()==>a: 1
main(): 1
NULL
bool(true)
NULL
bool(true)
