--TEST--
With xhprof.special_functions, functions that PHP compiles into opcodes are calls, with the same results
--EXTENSIONS--
xhprof
--INI--
xhprof.special_functions=1
--FILE--
<?php
require __DIR__ . '/../include/calls.php';
function work($s, $a) {
    return [strlen($s), is_int($s), count($a), in_array('x', ['x', 'y']), array_key_exists('k', $a), intval($s), get_class(new stdClass), func_num_args(), func_get_args() === [$s, $a], compact('s') === ['s' => $s]];
}
xhprof_enable();
$result = work('12', ['k' => 1]);
$profile = xhprof_disable();
echo json_encode($result), "\n";
print_calls(matching($profile, '/^(?!main\(\)==>xhprof_disable)/'));
?>
--EXPECT--
[2,false,1,true,true,12,"stdClass",2,true,true]
work==>strlen: 1
work==>is_int: 1
work==>count: 1
work==>in_array: 1
work==>array_key_exists: 1
work==>intval: 1
work==>get_class: 1
work==>func_num_args: 1
work==>func_get_args: 1
work==>compact: 1
main()==>work: 1
main(): 1
