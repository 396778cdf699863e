--TEST--
Enable in one fiber and disable in another or outside of all gives what ran between
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function starts() { xhprof_enable(XHPROF_FLAGS_NO_BUILTINS); leaf(); Fiber::suspend(); leaf(); }
function stops() { leaf(); Fiber::suspend(); leaf(); print_calls(xhprof_disable()); leaf(); }
function leaf() {}
function other() {}

$starts = new Fiber('starts');
$stops = new Fiber('stops');
$starts->start();
other();
$stops->start();
$starts->resume();
other();
$stops->resume();
other();

echo "\n";
$starts = new Fiber('starts');
$starts->start();
other();
$starts->resume();
print_calls(xhprof_disable());
?>
--EXPECT--
main()==>leaf: 2
main()==>other: 2
stops==>leaf: 2
main()==>stops: 1
main(): 1

main()==>leaf: 2
main()==>other: 1
main(): 1
