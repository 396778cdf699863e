--TEST--
An ignore list ends with its profile, and each profile has its own
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() { b(); }
function b() { c(); }
function c() {}
function profile(array $options)
{
    xhprof_enable(XHPROF_FLAGS_NO_BUILTINS, $options);
    a();
    print_calls(xhprof_disable());
    echo "\n";
}

profile(['ignored_functions' => ['b']]);
profile([]);
profile(['ignored_functions' => ['a', 'c']]);
profile(['title' => 'b']);
?>
--EXPECT--
a==>c: 1
main()==>a: 1
main(): 1

b==>c: 1
a==>b: 1
main()==>a: 1
main(): 1

main()==>b: 1
main(): 1

b==>c: 1
a==>b: 1
main()==>a: 1
main(): 1
