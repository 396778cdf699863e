--TEST--
Magic methods are recorded by their own names, once for each call
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class Magic
{
    public function __call($name, $arguments) { return helper(); }
    public static function __callStatic($name, $arguments) { return helper(); }
    public function __invoke() { return helper(); }
    public function __toString(): string { return 'magic' . helper(); }
    public function __get($name) { return helper(); }
    public function __set($name, $value) { helper(); }
    public function __isset($name) { return helper(); }
    public function __unset($name) { helper(); }
    public function __clone() { helper(); }
}
function helper() { return 1; }

$magic = new Magic;
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
$magic->undefined(1);
$magic->undefined(2);
Magic::undefined();
$magic();
"$magic";
$magic->property;
$magic->property = 1;
isset($magic->property);
unset($magic->property);
$copy = clone $magic;
print_calls(xhprof_disable());
?>
--EXPECT--
Magic::__call==>helper: 2
main()==>Magic::__call: 2
Magic::__callStatic==>helper: 1
main()==>Magic::__callStatic: 1
Magic::__invoke==>helper: 1
main()==>Magic::__invoke: 1
Magic::__toString==>helper: 1
main()==>Magic::__toString: 1
Magic::__get==>helper: 1
main()==>Magic::__get: 1
Magic::__set==>helper: 1
main()==>Magic::__set: 1
Magic::__isset==>helper: 1
main()==>Magic::__isset: 1
Magic::__unset==>helper: 1
main()==>Magic::__unset: 1
Magic::__clone==>helper: 1
main()==>Magic::__clone: 1
main(): 1
