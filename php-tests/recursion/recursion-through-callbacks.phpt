--TEST--
Internal functions that are open more than once have levels too
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function flatten($value) { return is_array($value) ? array_map('flatten', $value) : $value; }

xhprof_enable();
flatten([1, [2, [3]]]);
print_calls(xhprof_disable());
?>
--EXPECT--
array_map==>flatten@1: 2
array_map@1==>flatten@2: 2
array_map@2==>flatten@3: 1
flatten@2==>array_map@2: 1
flatten@1==>array_map@1: 1
flatten==>array_map: 1
main()==>flatten: 1
main()==>xhprof_disable: 1
main(): 1
