--TEST--
A name that looks like a number or a level stays a name
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

// PHP takes any byte from 0x80 on in a name, but a class alias may hold more.
class Plain { public static function one() {} }
class_alias('Plain', '1');
class_alias('Plain', 'Plain@1');

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
call_user_func(['1', 'one']);
call_user_func(['Plain@1', 'one']);
print_calls(xhprof_disable());
?>
--EXPECT--
main()==>Plain::one: 2
main(): 1
