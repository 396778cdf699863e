--TEST--
Ignored internal functions have no row, and callbacks are called by their caller
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function double($n) { return array_sum([$n, $n]); }
function work() { return array_map('double', [1, 2]); }
class Job { public function run() { return work(); } }

// What Moodle ignores.
xhprof_enable(0, ['ignored_functions' => ['array_map', 'call_user_func', 'call_user_func_array', 'ArrayObject::count']]);
work();
call_user_func([new Job, 'run']);
call_user_func_array('work', []);
(new ArrayObject)->count();
print_calls(xhprof_disable());
?>
--EXPECT--
double==>array_sum: 6
work==>double: 6
main()==>work: 2
Job::run==>work: 1
main()==>Job::run: 1
main()==>ArrayObject::__construct: 1
main()==>xhprof_disable: 1
main(): 1
