--TEST--
NULL for flags is deprecated like for every internal function, and means none
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

xhprof_enable(null);
print_calls(xhprof_disable());
?>
--EXPECTF--
Deprecated: xhprof_enable(): Passing null to parameter #1 ($flags) of type int is deprecated in %s on line %d
main()==>xhprof_disable: 1
main(): 1
