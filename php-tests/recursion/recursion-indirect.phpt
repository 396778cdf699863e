--TEST--
Mutual recursion counts the levels of each function on its own
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function even(int $n) { return $n === 0 || odd($n - 1); }
function odd(int $n) { return $n !== 0 && even($n - 1); }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
even(4);
odd(1);
print_calls(xhprof_disable());
?>
--EXPECT--
odd@1==>even@2: 1
even@1==>odd@1: 1
odd==>even@1: 1
even==>odd: 1
main()==>even: 1
odd==>even: 1
main()==>odd: 1
main(): 1
