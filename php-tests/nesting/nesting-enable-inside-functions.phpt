--TEST--
A profile that begins inside functions starts at main(), without those already open
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() { b(); after(); }
function b() { c(); after(); }
function c() { xhprof_enable(XHPROF_FLAGS_NO_BUILTINS); leaf(); }
function leaf() {}
function after() { leaf(); }

a();
after();
print_calls(xhprof_disable());
?>
--EXPECT--
main()==>leaf: 1
after==>leaf: 3
main()==>after: 3
main(): 1
