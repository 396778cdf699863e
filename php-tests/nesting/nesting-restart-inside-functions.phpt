--TEST--
A profile that begins where another one ended, inside functions, pops nothing that it did not push
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() { b(); leaf(); }
function b() { c(); leaf(); }
function c()
{
    leaf();
    print_calls(xhprof_disable());
    xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
    leaf();
}
function leaf() {}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
a();
leaf();
echo "\n";
print_calls(xhprof_disable());
?>
--EXPECT--
c==>leaf: 1
b==>c: 1
a==>b: 1
main()==>a: 1
main(): 1

main()==>leaf: 4
main(): 1
