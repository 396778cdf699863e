--TEST--
phpinfo() in a profiled script does no harm
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function work() { ob_start(); phpinfo(INFO_MODULES); return strlen(ob_get_clean()) > 1000; }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
var_dump(work());
print_calls(xhprof_disable());
?>
--EXPECT--
bool(true)
main()==>work: 1
main(): 1
