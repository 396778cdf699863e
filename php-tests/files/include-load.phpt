--TEST--
Compiling a file is recorded as load:: with its directory and name, and its code is its includer's
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function helper() {}
function work() { include __DIR__ . '/../fixtures/calls-helper.php'; }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
require __DIR__ . '/../fixtures/calls-helper.php';
include __DIR__ . '/../fixtures/calls-helper.php';
print_calls(xhprof_disable());
?>
--EXPECT--
work==>load::fixtures/calls-helper.php: 1
work==>helper: 1
main()==>work: 1
main()==>load::fixtures/calls-helper.php: 2
main()==>helper: 2
main(): 1
