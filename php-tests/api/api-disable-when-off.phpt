--TEST--
Disable when nothing is recorded returns NULL, by either function
--EXTENSIONS--
xhprof
--FILE--
<?php
var_dump(xhprof_disable(), xhprof_sample_disable());
xhprof_enable();
xhprof_disable();
var_dump(xhprof_disable(), xhprof_sample_disable());
xhprof_sample_enable();
xhprof_sample_disable();
var_dump(xhprof_disable(), xhprof_sample_disable());
?>
--EXPECT--
NULL
NULL
NULL
NULL
NULL
NULL
