--TEST--
A profile of nothing has main(), and xhprof_disable unless internal functions are left out
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

xhprof_enable();
print_calls(xhprof_disable());
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
print_calls(xhprof_disable());
?>
--EXPECT--
main()==>xhprof_disable: 1
main(): 1
main(): 1
