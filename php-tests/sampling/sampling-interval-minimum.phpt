--TEST--
An interval below 100 microseconds is raised to 100
--EXTENSIONS--
xhprof
--INI--
xhprof.sampling_interval=1
--FILE--
<?php
require __DIR__ . '/../include/time.php';

function work() { for ($i = 0; $i < 10; $i++) { spin(1); } }

$start = microtime(true);
xhprof_sample_enable();
work();
$samples = xhprof_sample_disable();
$elapsed = (int) ((microtime(true) - $start) * 1e6);
$wrong = array_filter(array_keys($samples), fn ($key) => !str_ends_with($key, '00'));
echo count($wrong), " slots that do not begin at a multiple of 100\n";
echo count($samples) <= $elapsed / 100 + 1 ? "no more than one in 100\n" : count($samples) . " samples in $elapsed\n";
echo ini_get('xhprof.sampling_interval'), "\n";
?>
--EXPECT--
0 slots that do not begin at a multiple of 100
no more than one in 100
1
