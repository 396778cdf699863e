--TEST--
Sampling needs no engine: with xhprof.engine=off it works, and functions written in C are seen
--EXTENSIONS--
xhprof
--INI--
xhprof.engine=off
xhprof.sampling_interval=1000
--CONFLICTS--
all
--FILE--
<?php
require __DIR__ . '/../include/time.php';

function work() { spin(50); usleep(50_000 * $GLOBALS['stretch']); }

print_shares(function () {
    xhprof_sample_enable();
    work();
    $samples = xhprof_sample_disable();
    return [
        'usleep' => [count(preg_grep('/^main\(\)==>work==>usleep$/', $samples)), count($samples), 35, 65],
        'spin' => [count(preg_grep('/^main\(\)==>work==>spin/', $samples)), count($samples), 35, 65],
    ];
});
?>
--EXPECT--
usleep: 35 to 65 %
spin: 35 to 65 %
