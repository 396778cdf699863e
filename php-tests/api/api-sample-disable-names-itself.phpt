--TEST--
With xhprof_sample_disable as the end of a trace, that is the last row
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

xhprof_enable();
print_calls(xhprof_sample_disable());
?>
--EXPECT--
main()==>xhprof_sample_disable: 1
main(): 1
