--TEST--
Rows are in the order in which their first call completed, main() last
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function first() { shared(); }
function second() { third(); shared(); }
function third() {}
function shared() {}

xhprof_enable();
second();
first();
third();
second();
shared();
$profile = xhprof_disable();
check_shape($profile);
print_calls($profile);
?>
--EXPECT--
second==>third: 2
second==>shared: 2
main()==>second: 2
first==>shared: 1
main()==>first: 1
main()==>third: 1
main()==>shared: 1
main()==>xhprof_disable: 1
main(): 1
