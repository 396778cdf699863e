--TEST--
Internal functions and methods are recorded by their declared names
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function work(array $list)
{
    $object = new ArrayObject($list);
    $object->count();
    return ARRAY_sum($list);
}

xhprof_enable();
work([1, 2]);
print_calls(xhprof_disable());
?>
--EXPECT--
work==>ArrayObject::__construct: 1
work==>ArrayObject::count: 1
work==>array_sum: 1
main()==>work: 1
main()==>xhprof_disable: 1
main(): 1
