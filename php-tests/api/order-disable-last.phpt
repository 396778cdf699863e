--TEST--
xhprof_disable is the last row before those still open, however early it was called before
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function work() { return xhprof_disable(); }

// While no profile runs, its calls belong to no profile.
xhprof_disable();
xhprof_enable();
array_sum([1]);
print_calls(work());
?>
--EXPECT--
main()==>array_sum: 1
work==>xhprof_disable: 1
main()==>work: 1
main(): 1
