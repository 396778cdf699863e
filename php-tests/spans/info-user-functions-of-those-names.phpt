--TEST--
Functions of the program that are called like those with additional info stay plain
--EXTENSIONS--
xhprof
--INI--
xhprof.collect_additional_info=1
--SKIPIF--
<?php
if (function_exists('mysqli_query')) die('skip mysqli is loaded');
?>
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function mysqli_query($link, $statement) { return $statement; }

xhprof_enable();
mysqli_query(null, 'SELECT 1');
print_calls(xhprof_disable());
?>
--EXPECT--
main()==>mysqli_query: 1
main()==>xhprof_disable: 1
main(): 1
