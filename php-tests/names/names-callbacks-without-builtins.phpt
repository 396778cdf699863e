--TEST--
With NO_BUILTINS a callback is called by the function that called the internal one
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function double(int $n) { return 2 * $n; }
function work() { return array_map('double', [1, 2, 3]); }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
print_calls(xhprof_disable());
?>
--EXPECT--
work==>double: 3
main()==>work: 1
main(): 1
