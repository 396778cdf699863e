--TEST--
Functions and classes that an included file declares under a condition are recorded
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function helper() {}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
$wanted = true;
include __DIR__ . '/../fixtures/declares-conditionally.php';
conditional();
Conditional::run();
print_calls(xhprof_disable());
?>
--EXPECT--
main()==>load::fixtures/declares-conditionally.php: 1
conditional==>helper: 1
main()==>conditional: 1
Conditional::run==>helper: 1
main()==>Conditional::run: 1
main(): 1
