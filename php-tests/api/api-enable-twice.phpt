--TEST--
Enable while enabled is silent and keeps the first flags, ignore list and calls
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() { b(); }
function b() { c(); array_sum([1]); }
function c() {}

xhprof_enable(XHPROF_FLAGS_CPU, ['ignored_functions' => ['b']]);
a();
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS | XHPROF_FLAGS_MEMORY, ['ignored_functions' => ['a', 'c']]);
a();
xhprof_enable();
xhprof_sample_enable();
a();
$profile = xhprof_disable();
check_shape($profile, ['ct', 'wt', 'cpu']);
print_calls($profile);
var_dump(xhprof_disable());
?>
--EXPECT--
a==>c: 3
a==>array_sum: 3
main()==>a: 3
main()==>xhprof_enable: 2
main()==>xhprof_sample_enable: 1
main()==>xhprof_disable: 1
main(): 1
NULL
