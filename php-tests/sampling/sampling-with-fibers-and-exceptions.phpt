--TEST--
Sampled stacks stay right through exceptions, generators and fibers
--EXTENSIONS--
xhprof
--INI--
xhprof.sampling_interval=500
--FILE--
<?php
require __DIR__ . '/../include/time.php';

function throws() { thrower(); }
function thrower() { spin(3); throw new Exception; }
function gen() { spin(3); yield 1; spin(3); yield 2; }
function task() { spin(3); Fiber::suspend(); spin(3); }
function work() { spin(3); }

// A busy machine may hold up the sampler: more runs add what is missing, and what is wrong stays.
$stacks = [];
for ($try = 0; $try < 10 && count($stacks) < 4; $try++) {
    xhprof_sample_enable();
    for ($i = 0; $i < 5; $i++) {
        try { throws(); } catch (Exception) { work(); }
        foreach (gen() as $x) { work(); break; }
        $fiber = new Fiber('task');
        $fiber->start();
        work();
        $fiber->resume();
        work();
    }
    $samples = xhprof_sample_disable();
    array_push($stacks, ...array_map(
        fn ($stack) => preg_replace(['/==>(Fiber|Exception)::\w+/', '/==>(hrtime|spin)\b/'], '', $stack),
        array_values($samples),
    ));
    // In between there may be a sample of a function that only calls another.
    $between = ['main()', 'main()==>throws', 'main()==>xhprof_sample_disable'];
    $stacks = array_diff(array_unique($stacks), $between);
}
sort($stacks);
echo implode("\n", $stacks), "\n";
?>
--EXPECT--
main()==>gen
main()==>task
main()==>throws==>thrower
main()==>work
