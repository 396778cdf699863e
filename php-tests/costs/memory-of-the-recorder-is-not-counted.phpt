--TEST--
What the profiler itself needs is not the program's memory
--EXTENSIONS--
xhprof
--FILE--
<?php
$code = '';
for ($i = 0; $i < 5000; $i++) {
    $code .= "function f$i() { return 1; }\n";
}
eval($code);
function all() { for ($i = 0; $i < 5000; $i++) { "f$i"(); } }

all();
$before = memory_get_usage();
all();
$without = memory_get_usage() - $before;

xhprof_enable(XHPROF_FLAGS_MEMORY | XHPROF_FLAGS_NO_BUILTINS);
$before = memory_get_usage();
all();
$with = memory_get_usage() - $before;
$profile = xhprof_disable();
echo count($profile), ' rows, mu ', $profile['main()==>all']['mu'], ', memory_get_usage() the same: ';
var_dump($with === $without);
?>
--EXPECT--
5002 rows, mu 0, memory_get_usage() the same: bool(true)
