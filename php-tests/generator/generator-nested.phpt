--TEST--
A generator that iterates another one resumes it
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function source() { yield 1; yield 2; }
function doubled(iterable $in) { foreach ($in as $n) { yield 2 * $n; } }
function consume(iterable $in) { foreach ($in as $n); }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
consume(doubled(source()));
print_calls(xhprof_disable());
?>
--EXPECT--
doubled==>source: 3
consume==>doubled: 3
main()==>consume: 1
main(): 1
