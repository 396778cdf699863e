--TEST--
With opcache the rows are the same, and nothing of it is in them
--EXTENSIONS--
xhprof
opcache
--INI--
opcache.enable_cli=1
opcache.jit=off
opcache.optimization_level=0x7FFE3FFF
opcache.file_update_protection=0
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class A { public function __call($name, $arguments) { return leaf($name); } public static function fixed() { return leaf('x'); } }
function leaf($text) { return array_sum([strlen($text), mt_rand()]); }
function gen() { yield leaf('x'); yield leaf('y'); }
function helper() {}
function work() { (new A)->zork(); A::fixed(); foreach (gen() as $x); array_map('leaf', ['a', 'b']); }

for ($i = 0; $i < 2; $i++) {
    xhprof_enable();
    work();
    include __DIR__ . '/../fixtures/calls-helper.php';
    eval('helper();');
    print_calls(matching(xhprof_disable(), '/^(?!.*eval)/'));
}
?>
--EXPECT--
leaf==>mt_rand: 6
leaf==>array_sum: 6
A::__call==>leaf: 1
work==>A::__call: 1
A::fixed==>leaf: 1
work==>A::fixed: 1
gen==>leaf: 2
work==>gen: 3
array_map==>leaf: 2
work==>array_map: 1
main()==>work: 1
main()==>load::fixtures/calls-helper.php: 1
main()==>helper: 2
main()==>xhprof_disable: 1
main(): 1
leaf==>mt_rand: 6
leaf==>array_sum: 6
A::__call==>leaf: 1
work==>A::__call: 1
A::fixed==>leaf: 1
work==>A::fixed: 1
gen==>leaf: 2
work==>gen: 3
array_map==>leaf: 2
work==>array_map: 1
main()==>work: 1
main()==>load::fixtures/calls-helper.php: 1
main()==>helper: 2
main()==>xhprof_disable: 1
main(): 1
