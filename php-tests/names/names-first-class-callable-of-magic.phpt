--TEST--
A first-class callable of an undefined method goes to __call() without a wrong parent
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class Magic
{
    public function __call($name, $arguments) { return helper(); }
}
function helper() { return 1; }
function forward(callable $callable) { return $callable(1, 2); }

// PHP makes an internal function named like the undefined one: with internal
// functions recorded it may be a row, without them it may not.
$callable = (new Magic)->zork(...);
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
forward($callable);
print_calls(xhprof_disable());

xhprof_enable();
forward($callable);
print_calls(matching(xhprof_disable(), '/==>(helper|forward)|main/'));
?>
--EXPECT--
Magic::__call==>helper: 1
forward==>Magic::__call: 1
main()==>forward: 1
main(): 1
Magic::__call==>helper: 1
main()==>forward: 1
main()==>xhprof_disable: 1
main(): 1
