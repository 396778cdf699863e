--TEST--
Sampling that begins inside functions starts at main(), without those already open
--EXTENSIONS--
xhprof
--INI--
xhprof.sampling_interval=200
--FILE--
<?php
require __DIR__ . '/../include/time.php';

function outer() { inner(); spin_cpu(20); }
function inner() { xhprof_sample_enable(); work(); spin_until_sampled(); }
function work() { spin_until_sampled(); }
function after() { spin_until_sampled(); }

outer();
after();
$stacks = array_unique(xhprof_sample_disable());
$stacks = array_unique(preg_replace(['/==>(spin_until_sampled|spin_cpu|cpu_us|getrusage|hrtime)\b/', '/==>xhprof_\w+/'], '', $stacks));
sort($stacks);
echo implode("\n", $stacks), "\n";
?>
--EXPECT--
main()
main()==>after
main()==>work
