--TEST--
Ignored functions that are no list warn once, and nothing is ignored
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() {}

foreach ([7, 1.5, true, new ArrayObject(['a'])] as $list) {
    xhprof_enable(XHPROF_FLAGS_NO_BUILTINS, ['ignored_functions' => $list]);
    a();
    print_calls(xhprof_disable());
}
?>
--EXPECTF--
Warning: xhprof_enable(): option "ignored_functions" must be %s, not int in %s on line %d
main()==>a: 1
main(): 1

Warning: xhprof_enable(): option "ignored_functions" must be %s, not float in %s on line %d
main()==>a: 1
main(): 1

Warning: xhprof_enable(): option "ignored_functions" must be %s, not bool in %s on line %d
main()==>a: 1
main(): 1

Warning: xhprof_enable(): option "ignored_functions" must be %s, not %s in %s on line %d
main()==>a: 1
main(): 1
