--TEST--
After E_USER_ERROR in nested functions a shutdown function gets a right array
--EXTENSIONS--
xhprof
--INI--
display_errors=0
error_reporting=0
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() { b(); }
function b() { leaf(); trigger_error('the end', E_USER_ERROR); }
function leaf() {}
function ending() { leaf(); print_calls(xhprof_disable()); }

register_shutdown_function('ending');
xhprof_enable();
a();
?>
--EXPECT--
b==>leaf: 1
b==>trigger_error: 1
a==>b: 1
main()==>a: 1
ending==>leaf: 1
ending==>xhprof_disable: 1
main()==>ending: 1
main(): 1
