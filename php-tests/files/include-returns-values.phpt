--TEST--
What an included file returns arrives as ever
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function work() { return include __DIR__ . '/../fixtures/returns-array.php'; }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
$first = work();
$second = include __DIR__ . '/../fixtures/returns-array.php';
$profile = xhprof_disable();
var_dump($first === ['a' => [1, 2]], $first === $second, @include __DIR__ . '/../fixtures/not-there.php');
print_calls($profile);
?>
--EXPECT--
bool(true)
bool(true)
bool(false)
work==>load::fixtures/returns-array.php: 1
main()==>work: 1
main()==>load::fixtures/returns-array.php: 1
main(): 1
