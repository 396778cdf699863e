--TEST--
Code given to php -r has all its calls recorded
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$code = <<<'PHP'
class A { function run() { return leaf(); } static function fixed() { return leaf(); } }
function leaf() { return array_sum([1]); }
function gen() { yield leaf(); }
leaf();
xhprof_enable();
leaf();
(new A)->run();
A::fixed();
foreach (gen() as $x);
array_map('leaf', []);
array_map(fn ($x) => leaf(), [1]);
foreach (xhprof_disable() as $edge => $cost) { echo "$edge: {$cost['ct']}\n"; }
PHP;
$ended = run_php('-r', $code);
echo $ended->output, $ended->errors;
?>
--EXPECTF--
leaf==>array_sum: 5
main()==>leaf: 1
A::run==>leaf: 1
main()==>A::run: 1
A::fixed==>leaf: 1
main()==>A::fixed: 1
gen==>leaf: 1
main()==>gen: 2
main()==>array_map: 2
{closure%S}==>leaf: 1
array_map==>{closure%S}: 1
main()==>xhprof_disable: 1
main(): 1
