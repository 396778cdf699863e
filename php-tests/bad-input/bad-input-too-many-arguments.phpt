--TEST--
Arguments that a function does not take give PHP's own ArgumentCountError
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

foreach (['xhprof_enable' => [0, [], 1], 'xhprof_sample_enable' => [1]] as $function => $arguments) {
    try { $function(...$arguments); } catch (ArgumentCountError $error) { echo $error->getMessage(), "\n"; }
    var_dump(xhprof_disable());
}
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
foreach (['xhprof_disable', 'xhprof_sample_disable'] as $function) {
    try { $function(null); } catch (ArgumentCountError $error) { echo $error->getMessage(), "\n"; }
}
try { xhprof_enable(nonsense: 1); } catch (Error $error) { echo $error->getMessage(), "\n"; }
print_calls(xhprof_disable());
?>
--EXPECT--
xhprof_enable() expects at most 2 arguments, 3 given
NULL
xhprof_sample_enable() expects exactly 0 arguments, 1 given
NULL
xhprof_disable() expects exactly 0 arguments, 1 given
xhprof_sample_disable() expects exactly 0 arguments, 1 given
Unknown named parameter $nonsense
main(): 1
