--TEST--
A generator that was started before enable is recorded from its next resume on
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function numbers() { while (true) { leaf(); yield; } }
function stops() { yield 1; print_calls(xhprof_disable()); leaf(); yield 2; leaf(); }
function starts() { yield 1; xhprof_enable(XHPROF_FLAGS_NO_BUILTINS); leaf(); yield 2; leaf(); }
function leaf() {}

$numbers = numbers();
$numbers->current();
$numbers->next();
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
$numbers->next();
$numbers->next();
print_calls(xhprof_disable());
$numbers->next();

echo "\n";
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
foreach (stops() as $n) { leaf(); }

echo "\n";
foreach (starts() as $n) { leaf(); }
print_calls(xhprof_disable());
?>
--EXPECT--
numbers==>leaf: 2
main()==>numbers: 2
main(): 1

main()==>stops: 2
main()==>leaf: 1
main(): 1

main()==>leaf: 2
starts==>leaf: 1
main()==>starts: 1
main(): 1
