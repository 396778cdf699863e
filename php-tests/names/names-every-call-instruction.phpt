--TEST--
A function that is called through every kind of call instruction is recorded each time
--EXTENSIONS--
xhprof
--FILE--
<?php
namespace App {
    function call_unqualified() { return \leaf(); }
    function call_fallback() { return leaf(); }
    function call_internal_fallback() { return array_sum([1]); }
}
namespace {
    require __DIR__ . '/../include/calls.php';

    class A { public static function run() { return leaf(); } public function method() { return leaf(); } }
    function leaf() { return 1; }
    function work()
    {
        $name = 'leaf'; $method = 'method'; $class = 'A'; $static = ['A', 'run']; $a = new A;
        leaf(); $name(); call_user_func('leaf'); call_user_func_array('leaf', []);
        $a->method(); $a->$method(); [$a, 'method']();
        A::run(); $class::run(); $static(); 'A::run'();
        App\call_unqualified(); App\call_fallback(); App\call_internal_fallback();
        (new ReflectionFunction('leaf'))->invoke();
        (clone $a)->method();
        $a?->method();
        leaf(...[]);
    }

    xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
    work();
    print_calls(xhprof_disable());
}
?>
--EXPECT--
work==>leaf: 6
A::method==>leaf: 5
work==>A::method: 5
A::run==>leaf: 4
work==>A::run: 4
App\call_unqualified==>leaf: 1
work==>App\call_unqualified: 1
App\call_fallback==>leaf: 1
work==>App\call_fallback: 1
work==>App\call_internal_fallback: 1
main()==>work: 1
main(): 1
