--TEST--
Functions and internal functions called before enable are recorded like any others
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class A { public function run() { return leaf(); } public static function fixed() { return leaf(); } }
function leaf() { return array_sum([1]); }
function gen() { yield leaf(); }
$closure = function () { return leaf(); };
$a = new A;
function all($a, $closure)
{
    leaf();
    $a->run();
    A::fixed();
    $closure();
    foreach (gen() as $x);
    array_map($closure, [1]);
}

for ($i = 0; $i < 3; $i++) {
    all($a, $closure);
}
xhprof_enable();
all($a, $closure);
print_calls(xhprof_disable());
?>
--EXPECTF--
leaf==>array_sum: 6
all==>leaf: 1
A::run==>leaf: 1
all==>A::run: 1
A::fixed==>leaf: 1
all==>A::fixed: 1
{closure%S}==>leaf: 2
all==>{closure%S}: 1
gen==>leaf: 1
all==>gen: 2
array_map==>{closure%S}: 1
all==>array_map: 1
main()==>all: 1
main()==>xhprof_disable: 1
main(): 1
