--TEST--
An exception out of a destructor leaves the callers right
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class Bomb { public function __destruct() { leaf(); throw new Exception; } }
function work() { $bomb = new Bomb; try { $bomb = null; } catch (Exception) { leaf(); } leaf(); }
function leaf() {}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
leaf();
print_calls(xhprof_disable());
?>
--EXPECT--
Bomb::__destruct==>leaf: 1
work==>Bomb::__destruct: 1
work==>leaf: 2
main()==>work: 1
main()==>leaf: 1
main(): 1
