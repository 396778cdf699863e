--TEST--
xhprof_disable can be ignored like any function
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() { array_sum([1]); }

xhprof_enable(0, ['ignored_functions' => ['xhprof_disable']]);
a();
print_calls(xhprof_disable());
?>
--EXPECT--
a==>array_sum: 1
main()==>a: 1
main(): 1
