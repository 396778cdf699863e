--TEST--
With pcov loaded the rows are the same
--EXTENSIONS--
xhprof
pcov
--INI--
pcov.enabled=1
pcov.directory=/
opcache.jit=disable
--FILE--
<?php
// Without a JIT: PHP switches it off beside pcov, and prints so.
require __DIR__ . '/../include/calls.php';

function helper() { return array_sum([1]); }
function work() { include __DIR__ . '/../fixtures/calls-helper.php'; eval('helper();'); }

\pcov\start();
xhprof_enable(0, ['ignored_functions' => 'pcov\stop']);
work();
\pcov\stop();
print_calls(matching(xhprof_disable(), '/^(?!.*eval)/'));
echo \pcov\collect() !== [] ? "covered\n" : "not covered\n";
?>
--EXPECT--
work==>load::fixtures/calls-helper.php: 1
helper==>array_sum: 2
work==>helper: 2
main()==>work: 1
main()==>xhprof_disable: 1
main(): 1
covered
