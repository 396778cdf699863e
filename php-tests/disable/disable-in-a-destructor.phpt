--TEST--
Disable works in a destructor
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class Guard { public function __destruct() { leaf(); print_calls(xhprof_disable()); leaf(); } }
function leaf() {}
function work() { $guard = new Guard; leaf(); $guard = null; leaf(); }

xhprof_enable();
work();
?>
--EXPECT--
work==>leaf: 1
Guard::__destruct==>leaf: 1
Guard::__destruct==>xhprof_disable: 1
work==>Guard::__destruct: 1
main()==>work: 1
main(): 1
