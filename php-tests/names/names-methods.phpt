--TEST--
A method is recorded with the class that declares it
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class Base
{
    public function __construct() { $this->init(); }
    public function init() { static::make(); }
    public static function make() {}
    public function same() {}
}
class Child extends Base
{
    public static function make() { parent::make(); }
}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
$child = new Child;
$child->same();
$base = new Base;
$base->same();
print_calls(xhprof_disable());
?>
--EXPECT--
Child::make==>Base::make: 1
Base::init==>Child::make: 1
Base::__construct==>Base::init: 2
main()==>Base::__construct: 2
main()==>Base::same: 2
Base::init==>Base::make: 1
main(): 1
