--TEST--
Each resume of a generator is one call under the resumer, and making it is none
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function numbers() { leaf(); yield 1; leaf(); yield 2; leaf(); }
function consume(iterable $things) { foreach ($things as $thing) { step(); } }
function leaf() {}
function step() {}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
$unused = numbers();
consume(numbers());
print_calls(xhprof_disable());
?>
--EXPECT--
numbers==>leaf: 3
consume==>numbers: 3
consume==>step: 2
main()==>consume: 1
main(): 1
