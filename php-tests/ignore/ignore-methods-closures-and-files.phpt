--TEST--
Methods, closures, generators, files and eval can be ignored by the names they have
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class A
{
    public function run() { return helper(); }
    public function __call($name, $arguments) { return helper(); }
    public function closure() { return function () { return helper(); }; }
}
function numbers() { helper(); yield 1; helper(); }
function helper() { return 1; }

$a = new A;
$closure = $a->closure();
$closure_name = (new ReflectionFunction($closure))->getName();
$here = __FILE__ . '(' . (__LINE__ + 13) . ") : eval()'d code";

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS, ['ignored_functions' => [
    'A::run', 'A::__call', "A::$closure_name", 'numbers',
    'load::fixtures/calls-helper.php', "eval::$here",
]]);
$a->run();
$a->undefined();
$closure();
foreach (numbers() as $n) {
    helper();
}
include __DIR__ . '/../fixtures/calls-helper.php';
eval('helper();');
print_calls(xhprof_disable());
?>
--EXPECT--
main()==>helper: 8
main(): 1
