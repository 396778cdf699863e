--TEST--
Disable works in an output callback
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function callback(string $text) { leaf(); return $text . calls_of(xhprof_disable()); }
function leaf() {}
function work() { echo "the program's text\n"; ob_end_flush(); leaf(); }

ob_start('callback');
xhprof_enable();
work();
echo "after\n";
?>
--EXPECT--
the program's text
callback==>leaf: 1
callback==>xhprof_disable: 1
ob_end_flush==>callback: 1
work==>ob_end_flush: 1
main()==>work: 1
main(): 1
after
