--TEST--
A first-class callable is recorded as the function it stands for
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class Counter
{
    public function add() { return helper(); }
    public static function reset() { return helper(); }
}
function helper() { return 1; }

$counter = new Counter;
$callables = [helper(...), $counter->add(...), Counter::reset(...), array_sum(...)];
$arguments = [[], [], [], [[1, 2]]];
xhprof_enable();
foreach ($callables as $i => $callable) {
    $callable(...$arguments[$i]);
}
print_calls(xhprof_disable());
?>
--EXPECT--
main()==>helper: 1
Counter::add==>helper: 1
main()==>Counter::add: 1
Counter::reset==>helper: 1
main()==>Counter::reset: 1
main()==>array_sum: 1
main()==>xhprof_disable: 1
main(): 1
