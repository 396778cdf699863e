--TEST--
A file is loaded once by include_once and require_once, however often they are reached
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function helper() {}
function work() { include_once __DIR__ . '/../fixtures/calls-helper.php'; }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
work();
require_once __DIR__ . '/../fixtures/../fixtures/calls-helper.php';
print_calls(xhprof_disable());
?>
--EXPECT--
work==>load::fixtures/calls-helper.php: 1
work==>helper: 1
main()==>work: 2
main(): 1
