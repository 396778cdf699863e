--TEST--
Each of the two disable functions stops either mode and returns what it recorded
--EXTENSIONS--
xhprof
--INI--
xhprof.sampling_interval=100
--FILE--
<?php
require __DIR__ . '/../include/calls.php';
require __DIR__ . '/../include/time.php';

function a() { spin_cpu(20); }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
a();
$calls = xhprof_sample_disable();
unset($calls['spin_cpu==>cpu_us']);
print_calls($calls);
var_dump(xhprof_disable());

/** Whether `a` is in the samples of a run. A busy machine may take none in time: then again. */
function sees_a(callable $sampled): bool
{
    for ($try = 0; $try < 100; $try++) {
        if (preg_grep('/^main\(\)==>(sees_a==>)?(\{closure\}==>)?a\b/', $sampled())) {
            return true;
        }
    }
    return false;
}

var_dump(sees_a(function () {
    xhprof_sample_enable();
    a();
    return xhprof_disable();
}));
var_dump(xhprof_sample_disable());

// Tracing does not begin while sampling, either.
var_dump(sees_a(function () {
    xhprof_sample_enable();
    xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
    a();
    return array_filter(xhprof_disable(), is_string(...));
}));
?>
--EXPECT--
a==>spin_cpu: 1
main()==>a: 1
main(): 1
NULL
bool(true)
NULL
bool(true)
