--TEST--
After an uncaught exception a shutdown function gets a right array
--EXTENSIONS--
xhprof
--INI--
display_errors=0
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() { b(); }
function b() { leaf(); throw new Exception('uncaught'); }
function leaf() {}
function ending() { leaf(); print_calls(xhprof_disable()); }

register_shutdown_function('ending');
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
a();
?>
--EXPECT--
b==>leaf: 1
a==>b: 1
main()==>a: 1
ending==>leaf: 1
main()==>ending: 1
main(): 1
