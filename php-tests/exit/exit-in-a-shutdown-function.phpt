--TEST--
After exit() in a shutdown function, destructors are called by main()
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class Last { public function __destruct() { leaf(); print_calls(xhprof_disable()); } }
function leaf() {}
function ending() { leaf(); inner(); }
function inner() { exit; }

$last = new Last;
register_shutdown_function('ending');
register_shutdown_function('leaf');
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
leaf();
?>
--EXPECT--
main()==>leaf: 1
ending==>leaf: 1
ending==>inner: 1
main()==>ending: 1
Last::__destruct==>leaf: 1
main()==>Last::__destruct: 1
main(): 1
