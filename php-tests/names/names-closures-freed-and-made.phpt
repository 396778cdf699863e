--TEST--
Closures made and freed in a loop are each recorded by their own name
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class A { static function make() { return function () { return one(); }; } }
class B { static function make() { return function () { return two(); }; } }
function one() {}
function two() {}

// A freed closure's memory is used again for the next one: whatever is
// remembered for an address would name the wrong function.
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
for ($i = 0; $i < 1000; $i++) {
    $closure = A::make();
    $closure();
    $closure = null;
    $closure = B::make();
    $closure();
    $closure = null;
}
for ($i = 0; $i < 1000; $i++) {
    $function = eval('return function () { ' . ($i % 2 ? 'one' : 'two') . '(); };');
    $function();
    unset($function);
}
print_calls(matching(xhprof_disable(), '/^A::|^B::|==>(one|two|A|B)/'));
?>
--EXPECTF--
main()==>A::make: 1000
A::{closure%S}==>one: 1000
main()==>A::{closure%S}: 1000
main()==>B::make: 1000
B::{closure%S}==>two: 1000
main()==>B::{closure%S}: 1000
{closure%S}==>two: 500
{closure%S}==>one: 500
