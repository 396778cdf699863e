--TEST--
Nothing is recorded after disable, and the array does not change any more
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function leaf() {}
function before() { leaf(); }
function after() { leaf(); }

xhprof_enable();
before();
$profile = xhprof_disable();
$copy = unserialize(serialize($profile));
after();
before();
var_dump($profile === $copy);
print_calls($profile);
print_calls(xhprof_disable());

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
leaf();
$second = xhprof_disable();
var_dump($profile === $copy);
print_calls($second);

// It is the caller's array, to be changed at will.
$profile['main()']['ct'] = 2;
unset($profile['before==>leaf']);
var_dump(count($profile), count($copy));
?>
--EXPECT--
bool(true)
before==>leaf: 1
main()==>before: 1
main()==>xhprof_disable: 1
main(): 1
no profile
bool(true)
main()==>leaf: 1
main(): 1
int(3)
int(4)
