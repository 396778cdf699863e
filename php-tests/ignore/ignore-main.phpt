--TEST--
main() cannot be ignored
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() { b(); }
function b() {}

foreach (['main()', ['main()'], ['main()', 'b']] as $list) {
    xhprof_enable(XHPROF_FLAGS_NO_BUILTINS, ['ignored_functions' => $list]);
    a();
    print_calls(xhprof_disable());
}
?>
--EXPECT--
a==>b: 1
main()==>a: 1
main(): 1
a==>b: 1
main()==>a: 1
main(): 1
main()==>a: 1
main(): 1
