--TEST--
Errors thrown by internal functions close them
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function work()
{
    try { array_sum(1); } catch (TypeError) { leaf(); }
    try { array_chunk([1], 0); } catch (ValueError) { leaf(); }
    try { new DateTime('nonsense'); } catch (Exception) { leaf(); }
    try { leaf_with(); } catch (ArgumentCountError) { leaf(); }
}
function leaf() {}
function leaf_with($argument) {}

xhprof_enable();
work();
print_calls(matching(xhprof_disable(), '/^(?!.*leaf_with)/'));
?>
--EXPECT--
work==>array_sum: 1
work==>leaf: 4
work==>array_chunk: 1
work==>DateTime::__construct: 1
main()==>work: 1
main()==>xhprof_disable: 1
main(): 1
