--TEST--
The ways in which php-profiler and Moodle call the extension work
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() { return call_user_func('b', 1); }
function b($x) { return array_sum([$x]); }

foreach ([
    [7, []],
    [XHPROF_FLAGS_CPU | XHPROF_FLAGS_MEMORY | XHPROF_FLAGS_NO_BUILTINS, ['ignored_functions' => []]],
    [XHPROF_FLAGS_CPU + XHPROF_FLAGS_MEMORY, ['ignored_functions' => ['call_user_func', 'call_user_func_array']]],
] as [$flags, $options]) {
    if (extension_loaded('xhprof')) {
        xhprof_enable($flags, $options);
    }
    a();
    $profile = xhprof_disable();
    check_shape($profile, ['ct', 'wt', 'cpu', 'mu', 'pmu']);
    print_calls($profile);
}
?>
--EXPECT--
a==>b: 1
main()==>a: 1
main(): 1
a==>b: 1
main()==>a: 1
main(): 1
b==>array_sum: 1
a==>b: 1
main()==>a: 1
main()==>xhprof_disable: 1
main(): 1
