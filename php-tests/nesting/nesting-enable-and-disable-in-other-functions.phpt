--TEST--
Enable in one function and disable in another, deeper or higher, gives what ran between
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function deep(callable $what, int $n) { return $n > 0 ? deep($what, $n - 1) : $what(); }
function start() { xhprof_enable(XHPROF_FLAGS_NO_BUILTINS); leaf(); }
function stop() { leaf(); return xhprof_disable(); }
function leaf() {}

deep('start', 5);
leaf();
print_calls(stop());

echo "\n";
start();
print_calls(deep('stop', 2));
?>
--EXPECT--
main()==>leaf: 2
stop==>leaf: 1
main()==>stop: 1
main(): 1

main()==>leaf: 1
stop==>leaf: 1
deep@2==>stop: 1
deep@1==>deep@2: 1
deep==>deep@1: 1
main()==>deep: 1
main(): 1
