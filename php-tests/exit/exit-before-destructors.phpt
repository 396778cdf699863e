--TEST--
Destructors at the end of the request are called by main(), and disable works in them
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class First { public function __destruct() { leaf(); } }
class Last { public function __destruct() { leaf(); print_calls(xhprof_disable()); } }
function leaf() {}
function work() { leaf(); }

// PHP destroys the global variables last to first.
$last = new Last;
$first = new First;
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
?>
--EXPECT--
work==>leaf: 1
main()==>work: 1
First::__destruct==>leaf: 1
main()==>First::__destruct: 1
Last::__destruct==>leaf: 1
main()==>Last::__destruct: 1
main(): 1
