--TEST--
exit() in an included file closes the functions that included it
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function work() { include __DIR__ . '/../fixtures/exits.php'; helper(); }
function helper() {}
function ending() { helper(); print_calls(xhprof_disable()); }

register_shutdown_function('ending');
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
?>
--EXPECT--
work==>load::fixtures/exits.php: 1
work==>helper: 1
main()==>work: 1
ending==>helper: 1
main()==>ending: 1
main(): 1
