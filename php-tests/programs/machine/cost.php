<?php

/** How CPU time is read, and the cost of a call with it and without. */

ob_start();
(new ReflectionExtension('xhprof'))->info();
preg_match('/^CPU time => (.*)$/m', ob_get_clean(), $row);

function leaf(): void
{
}

function calls(int $count): void
{
    for ($i = 0; $i < $count; $i++) {
        leaf();
    }
}

/** Nanoseconds of a call, the lowest of five. */
function cost(?int $flags): float
{
    $lowest = INF;
    for ($round = 0; $round < 5; $round++) {
        $flags === null || xhprof_enable($flags);
        $start = hrtime(true);
        calls(50_000);
        $lowest = min($lowest, (hrtime(true) - $start) / 50_000);
        $flags === null || xhprof_disable();
    }
    return $lowest;
}

printf("CPU time: %s; ns a call: %.0f without a profile, %.0f with wall time, %.0f with CPU time\n", $row[1], cost(null), cost(0), cost(XHPROF_FLAGS_CPU));
