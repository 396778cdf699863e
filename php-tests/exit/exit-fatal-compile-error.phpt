--TEST--
After a fatal compile error in nested functions a shutdown function gets a right array
--EXTENSIONS--
xhprof
--INI--
display_errors=0
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() { leaf(); b(); }
function b() { leaf(); array_map('c', [1]); }
function c() { eval('function leaf() {}'); }
function leaf() {}
function ending() { leaf(); inner(); print_calls(xhprof_disable()); }
function inner() { leaf(); }

register_shutdown_function('ending');
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
a();
?>
--EXPECTF--
a==>leaf: 1
b==>leaf: 1
c==>eval::%sexit-fatal-compile-error.php(%d) : eval()'d code: 1
b==>c: 1
a==>b: 1
main()==>a: 1
ending==>leaf: 1
inner==>leaf: 1
ending==>inner: 1
main()==>ending: 1
main(): 1
