--TEST--
A callback is called by the internal function that it was given to
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function double(int $n) { return 2 * $n; }
function compare($a, $b) { return $a <=> $b; }
function upper(array $match) { return helper($match[0]); }
function helper(string $text) { return ucwords($text); }
function each_value($value) { return true; }

xhprof_enable();
$list = array_map('double', [1, 2, 3]);
usort($list, 'compare');
preg_replace_callback('/[a-z]+/', 'upper', 'ab cd');
array_walk($list, 'each_value');
print_calls(matching(xhprof_disable(), '/^(?!usort==>compare)/'));
?>
--EXPECT--
array_map==>double: 3
main()==>array_map: 1
main()==>usort: 1
helper==>ucwords: 2
upper==>helper: 2
preg_replace_callback==>upper: 2
main()==>preg_replace_callback: 1
array_walk==>each_value: 3
main()==>array_walk: 1
main()==>xhprof_disable: 1
main(): 1
