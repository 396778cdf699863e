--TEST--
Waiting takes time but no CPU time, computing takes both
--EXTENSIONS--
xhprof
--CONFLICTS--
all
--FILE--
<?php
require __DIR__ . '/../include/time.php';

function waits() { usleep(60_000); }
function computes() { spin_cpu(40); }

print_shares(function () {
    xhprof_enable(XHPROF_FLAGS_CPU | XHPROF_FLAGS_NO_BUILTINS);
    waits();
    computes();
    $profile = xhprof_disable();
    $waits = $profile['main()==>waits'];
    $computes = $profile['main()==>computes'];
    return [
        // However long the wait gets, it is never busy.
        'cpu of waiting' => [$waits['cpu'], $waits['wt'], 0, 10],
        // getrusage() may count in ticks of 4 ms.
        'cpu of computing' => [$computes['cpu'], 40_000, 85, 130],
        'cpu of the time of computing' => [$computes['cpu'], $computes['wt'], 1, 102],
        'both of main()' => [$waits['cpu'] + $computes['cpu'], $profile['main()']['cpu'], 90, 100],
    ];
});
?>
--EXPECT--
cpu of waiting: 0 to 10 %
cpu of computing: 85 to 130 %
cpu of the time of computing: 1 to 102 %
both of main(): 90 to 100 %
