--TEST--
Functions, classes and closures made by eval() before and after enable are recorded
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

eval('function early() { return early_too(); } function early_too() {} class Early { static function run() { early(); } }');
early();
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
early();
Early::run();
eval('function late() { early_too(); } $closure = function () { late(); };');
late();
$closure();
print_calls(matching(xhprof_disable(), '/^(?!.*eval::)/'));
?>
--EXPECTF--
early==>early_too: 2
main()==>early: 1
Early::run==>early: 1
main()==>Early::run: 1
late==>early_too: 2
main()==>late: 1
{closure%S}==>late: 1
main()==>{closure%S}: 1
main(): 1
