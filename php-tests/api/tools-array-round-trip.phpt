--TEST--
The array survives serialize, JSON and var_export, and every row has the form that the tools split
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class A { public function __call($name, $arguments) { return fib(3); } }
function fib(int $n) { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }
function gen() { yield fib(2); }

xhprof_enable(XHPROF_FLAGS_CPU | XHPROF_FLAGS_MEMORY);
(new A)->zork();
foreach (gen() as $x);
array_map(fn ($n) => fib($n), [1, 2]);
eval('fib(1);');
$profile = xhprof_disable();
check_shape($profile, ['ct', 'wt', 'cpu', 'mu', 'pmu']);
var_dump(unserialize(serialize($profile)) === $profile);
var_dump(json_decode(json_encode($profile), true) === $profile);
var_dump(eval('return ' . var_export($profile, true) . ';') === $profile);
var_dump($profile['main()']['wt'] > 0, $profile['main()']['wt'] < 86_400_000_000);

// As xhprof_lib splits a row: on the separator, into one or two names.
foreach ($profile as $edge => $cost) {
    $names = explode('==>', $edge);
    if (count($names) !== (count($names) === 1 && $edge === 'main()' ? 1 : 2) || in_array('', $names, true)) {
        echo "cannot be split: $edge\n";
    }
}
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
