--TEST--
After exit() in nested functions the parents are right, and shutdown code runs under main()
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() { b(); }
function b() { leaf(); c(); leaf(); }
function c() { leaf(); exit; }
function leaf() {}
function ending() { leaf(); print_calls(xhprof_disable()); }

register_shutdown_function('ending');
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
a();
?>
--EXPECT--
b==>leaf: 1
c==>leaf: 1
b==>c: 1
a==>b: 1
main()==>a: 1
ending==>leaf: 1
main()==>ending: 1
main(): 1
