--TEST--
The clock changes no call: monotonic and the counter give the same rows
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function fib(int $n) { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }
function gen() { yield fib(3); yield fib(2); }
function work() { fib(5); foreach (gen() as $x) { array_map('fib', [1, 2]); } eval('fib(1);'); }

$calls = [];
foreach (['auto', 'tsc', 'monotonic'] as $clock) {
    ini_set('xhprof.clock', $clock);
    foreach ([0, 2, 4, 6] as $flags) {
        xhprof_enable($flags);
        work();
        $calls[] = calls_of(xhprof_disable());
    }
}
echo count($calls), ' profiles, ', count(array_unique($calls)), " kind\n";
echo $calls[0];
?>
--EXPECTF--
12 profiles, 1 kind
fib@3==>fib@4: 2
fib@2==>fib@3: 6
fib@1==>fib@2: 6
fib==>fib@1: 10
work==>fib: 2
gen==>fib: 2
work==>gen: 3
array_map==>fib: 4
work==>array_map: 2
work==>eval::%sclock-monotonic-same-calls.php(6) : eval()'d code: 1
main()==>work: 1
main()==>xhprof_disable: 1
main(): 1
