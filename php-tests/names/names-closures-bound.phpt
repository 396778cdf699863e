--TEST--
A closure bound to another class is recorded with that class
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class A {}
class B {}
$closure = function () { return 1; };

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
$closure();
Closure::bind($closure, null, A::class)();
$closure->call(new B);
print_calls(xhprof_disable());
?>
--EXPECTF--
main()==>{closure%S}: 1
main()==>A::{closure%S}: 1
main()==>B::{closure%S}: 1
main(): 1
