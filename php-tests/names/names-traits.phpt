--TEST--
A trait's method is recorded with the class that uses the trait
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

trait Greets
{
    public function greet() { return $this->name(); }
    public static function from() { return new static; }
}
class Person { use Greets; public function name() { return 'person'; } }
class Robot { use Greets { greet as beep; } public function name() { return 'robot'; } }
class Android extends Robot {}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
(new Person)->greet();
Robot::from()->greet();
(new Robot)->beep();
(new Android)->greet();
print_calls(xhprof_disable());
?>
--EXPECT--
Person::greet==>Person::name: 1
main()==>Person::greet: 1
main()==>Robot::from: 1
Robot::greet==>Robot::name: 2
main()==>Robot::greet: 2
Robot::beep==>Robot::name: 1
main()==>Robot::beep: 1
main(): 1
