--TEST--
With internal functions recorded, a generator is resumed by the Generator method
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function numbers() { $sent = yield 1; $sent = yield $sent; return 3; }

xhprof_enable();
$numbers = numbers();
$numbers->current();
$numbers->send(5);
$numbers->next();
$numbers->getReturn();
print_calls(xhprof_disable());
?>
--EXPECT--
Generator::current==>numbers: 1
main()==>Generator::current: 1
Generator::send==>numbers: 1
main()==>Generator::send: 1
Generator::next==>numbers: 1
main()==>Generator::next: 1
main()==>Generator::getReturn: 1
main()==>xhprof_disable: 1
main(): 1
