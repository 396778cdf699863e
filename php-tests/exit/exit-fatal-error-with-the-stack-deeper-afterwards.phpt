--TEST--
Frames that a fatal error left are closed even if shutdown code goes deeper than they were
--EXTENSIONS--
xhprof
--INI--
display_errors=0
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() { eval('function leaf() {}'); }
function leaf() {}
function deep($n) { $n > 0 ? deep($n - 1) : leaf(); }
class Ending { public function __invoke() { array_map(fn () => deep(3), [1]); print_calls(xhprof_disable()); } }

register_shutdown_function(new Ending);
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS, ['ignored_functions' => ['Ending::__invoke', '{closure}']]);
a();
?>
--EXPECTREGEX--
^a==>eval::.*: 1
main\(\)==>a: 1
deep@3==>leaf: 1
deep@2==>deep@3: 1
deep@1==>deep@2: 1
deep==>deep@1: 1
.*==>deep: 1
(.*\{closure.*: 1
)?main\(\): 1$
