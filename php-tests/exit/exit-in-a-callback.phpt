--TEST--
exit() inside a callback of an internal function closes both
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function callback($value) { if ($value === 2) { die("dead\n"); } return $value; }
function work() { array_map('callback', [1, 2, 3]); }
function ending() { array_sum([1]); print_calls(matching(xhprof_disable(), '/^(?!.*==>exit$)/')); }

register_shutdown_function('ending');
xhprof_enable();
work();
?>
--EXPECT--
dead
array_map==>callback: 2
work==>array_map: 1
main()==>work: 1
ending==>array_sum: 1
ending==>xhprof_disable: 1
main()==>ending: 1
main(): 1
