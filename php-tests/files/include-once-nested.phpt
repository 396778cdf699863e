--TEST--
include_once inside an included file is recorded under the function that runs it
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function helper() {}
function work() { include __DIR__ . '/../fixtures/includes-another.php'; }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
print_calls(xhprof_disable());
?>
--EXPECT--
work==>load::fixtures/includes-another.php: 1
work==>load::fixtures/calls-helper.php: 1
work==>helper: 1
main()==>work: 1
main(): 1
