--TEST--
The trampoline in front of __call() is not a call of its own, with internal functions recorded too
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class Magic
{
    public function __call($name, $arguments) { return array_sum($arguments); }
    public static function __callStatic($name, $arguments) { return array_sum($arguments); }
}
function forward(callable $callable) { return $callable(1, 2); }

$magic = new Magic;
xhprof_enable();
$magic->zork(1);
call_user_func_array([$magic, 'zork'], [1]);
array_map([$magic, 'zork'], [1, 2]);
forward('Magic::zork');
print_calls(xhprof_disable());
?>
--EXPECT--
Magic::__call==>array_sum: 4
main()==>Magic::__call: 2
array_map==>Magic::__call: 2
main()==>array_map: 1
Magic::__callStatic==>array_sum: 1
forward==>Magic::__callStatic: 1
main()==>forward: 1
main()==>xhprof_disable: 1
main(): 1
