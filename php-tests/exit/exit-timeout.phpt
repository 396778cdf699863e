--TEST--
After the time limit in nested functions a shutdown function gets a right array
--EXTENSIONS--
xhprof
--SKIPIF--
<?php
if (getenv('SKIP_SLOW_TESTS')) die('skip waits for a time limit of a second');
?>
--INI--
display_errors=0
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() { b(); }
function b() { leaf(); array_map('forever', [1]); }
function forever() { while (true); }
function leaf() {}
function ending() { set_time_limit(30); leaf(); inner(); print_calls(xhprof_disable()); }
function inner() { leaf(); }

register_shutdown_function('ending');
set_time_limit(1);
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
a();
?>
--EXPECT--
b==>leaf: 1
b==>forever: 1
a==>b: 1
main()==>a: 1
ending==>leaf: 1
inner==>leaf: 1
ending==>inner: 1
main()==>ending: 1
main(): 1
