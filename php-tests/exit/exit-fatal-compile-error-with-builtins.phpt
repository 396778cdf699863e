--TEST--
After a fatal error the internal functions that were open are closed too
--EXTENSIONS--
xhprof
--INI--
display_errors=0
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class Broken { public function run() { include __DIR__ . '/../fixtures/redeclares-leaf.php'; } }
function a() { array_map([new Broken, 'run'], [1]); }
function leaf() { return array_sum([1]); }
function ending() { leaf(); print_calls(xhprof_disable()); }

register_shutdown_function('ending');
xhprof_enable(XHPROF_FLAGS_CPU | XHPROF_FLAGS_MEMORY);
a();
?>
--EXPECT--
Broken::run==>load::fixtures/redeclares-leaf.php: 1
array_map==>Broken::run: 1
a==>array_map: 1
main()==>a: 1
leaf==>array_sum: 1
ending==>leaf: 1
ending==>xhprof_disable: 1
main()==>ending: 1
main(): 1
