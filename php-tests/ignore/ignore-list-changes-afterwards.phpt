--TEST--
The list is taken at enable: what happens to the array later changes nothing
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() { b(); }
function b() { c(); }
function c() {}

$names = ['b'];
$reference = &$names[0];
$options = ['ignored_functions' => &$names];
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS, $options);
$reference = 'a';
$names[] = 'c';
unset($options, $names, $reference);
gc_collect_cycles();
a();
print_calls(xhprof_disable());
?>
--EXPECT--
a==>c: 1
main()==>a: 1
main(): 1
