--TEST--
Disable works in an output callback that the end of the request calls
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function callback(string $text) { leaf(); return $text . calls_of(xhprof_disable()); }
function leaf() {}

ob_start('callback');
xhprof_enable();
leaf();
echo "the program's text\n";
?>
--EXPECT--
the program's text
main()==>leaf: 1
callback==>leaf: 1
callback==>xhprof_disable: 1
main()==>callback: 1
main(): 1
