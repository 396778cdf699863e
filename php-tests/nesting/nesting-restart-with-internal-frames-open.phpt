--TEST--
A new profile inside a callback does not meet the internal functions of the old one
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

$profiles = [];
function callback($value)
{
    global $profiles;
    leaf();
    $profiles[] = xhprof_disable();
    xhprof_enable();
    return leaf();
}
function leaf() { return array_sum([1]); }
function work() { return array_map('callback', [1, 2]); }

xhprof_enable();
work();
leaf();
$profiles[] = xhprof_disable();
foreach ($profiles as $profile) {
    print_calls($profile);
    echo "\n";
}
?>
--EXPECT--
leaf==>array_sum: 1
callback==>leaf: 1
callback==>xhprof_disable: 1
array_map==>callback: 1
work==>array_map: 1
main()==>work: 1
main(): 1

leaf==>array_sum: 2
main()==>leaf: 1
callback==>leaf: 1
callback==>xhprof_disable: 1
main()==>callback: 1
main(): 1

leaf==>array_sum: 2
main()==>leaf: 2
main()==>xhprof_disable: 1
main(): 1
