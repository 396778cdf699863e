--TEST--
Finally blocks are run by the function that they are in, returns from them included
--EXTENSIONS--
xhprof
--INI--
; All but E_DEPRECATED: PHP 8.6 advises against returning from finally.
error_reporting=22527
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() { try { return b(); } finally { cleanup(); } }
function b() { try { throws(); } finally { cleanup(); return 1; } }
function nested() { try { try { throws(); } finally { cleanup(); try { throws(); } catch (Exception) { leaf(); } } } catch (Exception) { leaf(); } }
function throws() { throw new Exception; }
function cleanup() {}
function leaf() {}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
a();
nested();
print_calls(xhprof_disable());
?>
--EXPECT--
b==>throws: 1
b==>cleanup: 1
a==>b: 1
a==>cleanup: 1
main()==>a: 1
nested==>throws: 2
nested==>cleanup: 1
nested==>leaf: 2
main()==>nested: 1
main(): 1
