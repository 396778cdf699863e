--TEST--
With xhprof.sampling_clock=cpu a program that waits is not sampled; by default it is
--EXTENSIONS--
xhprof
--INI--
xhprof.sampling_interval=1000
--CONFLICTS--
all
--FILE--
<?php
require __DIR__ . '/../include/time.php';

function waits() { usleep(100_000); }
function computes() { spin_cpu(50); }

function shares(string $clock): array
{
    ini_set('xhprof.sampling_clock', $clock);
    xhprof_sample_enable();
    waits();
    computes();
    $samples = xhprof_sample_disable();
    return [
        "$clock: waits" => [count(preg_grep('/==>waits/', $samples)), count($samples)],
        "$clock: computes" => [count(preg_grep('/==>computes/', $samples)), count($samples)],
    ];
}
print_shares(function () {
    $wall = shares('wall');
    $cpu = shares('cpu');
    return [
        // A busy machine makes the computation wait for a CPU, too.
        'wall: waits' => [...$wall['wall: waits'], 5, 80],
        'wall: computes' => [...$wall['wall: computes'], 20, 95],
        'cpu: waits' => [...$cpu['cpu: waits'], 0, 10],
        'cpu: computes' => [...$cpu['cpu: computes'], 85, 100],
    ];
});
?>
--EXPECT--
wall: waits: 5 to 80 %
wall: computes: 20 to 95 %
cpu: waits: 0 to 10 %
cpu: computes: 85 to 100 %
