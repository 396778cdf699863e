--TEST--
In branching recursion the calls of a level add up
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function fib(int $n) { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
$result = fib(10);
$profile = xhprof_disable();
check_shape($profile);
print_calls($profile);
echo "fib(10) is $result in ", array_sum(array_column($profile, 'ct')) - 1, " calls\n";
?>
--EXPECT--
fib@8==>fib@9: 2
fib@7==>fib@8: 16
fib@6==>fib@7: 44
fib@5==>fib@6: 52
fib@4==>fib@5: 32
fib@3==>fib@4: 16
fib@2==>fib@3: 8
fib@1==>fib@2: 4
fib==>fib@1: 2
main()==>fib: 1
main(): 1
fib(10) is 55 in 177 calls
