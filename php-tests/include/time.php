<?php
// Time is asserted by share, with a margin. A busy machine can hold any function
// up for any time, so a measurement that misses its margin is made again: what is
// wrong for good stays wrong.

// How much longer a spin takes than it says. print_shares() raises it with each try: what
// a busy machine adds to a spin is then a smaller part of it.
$GLOBALS['stretch'] = 1;

/** Keeps the CPU busy for that much wall-clock time. */
function spin(int $milliseconds): void
{
    $end = hrtime(true) + $milliseconds * $GLOBALS['stretch'] * 1_000_000;
    while (hrtime(true) < $end);
}

/** Keeps the CPU busy until this process has used that much CPU time. */
function spin_cpu(int $milliseconds): void
{
    $end = cpu_us() + $milliseconds * 1000;
    while (cpu_us() < $end);
}

/**
 * Keeps the CPU busy for 20 ms, and then until a sample has a path that none had before: a
 * busy machine may not let the sampler run for longer than that.
 */
function spin_until_sampled(): void
{
    $paths = xhprof_status()['nodes'];
    $end = hrtime(true) + 60_000_000_000;
    do spin_cpu(20); while (xhprof_status()['nodes'] === $paths && hrtime(true) < $end);
}

/** The CPU time that this process has used, in microseconds. */
function cpu_us(): int
{
    $usage = getrusage();
    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1_000_000
        + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec'];
}

/**
 * Prints for each `what => [part, whole, least percent, most percent]` that
 * `$measure` returns whether the part is within its margin.
 */
function print_shares(callable $measure, int $tries = 10): void
{
    $GLOBALS['stretch'] = 0;
    do {
        $GLOBALS['stretch']++;
        $is_right = true;
        $lines = '';
        foreach ($measure() as $what => [$part, $whole, $from, $to]) {
            $percent = 100 * $part / max(1, $whole);
            $is_within = $percent >= $from && $percent <= $to;
            $is_right = $is_right && $is_within;
            $lines .= $is_within
                ? "$what: $from to $to %\n"
                : sprintf("%s: %.1f %% (%d of %d)\n", $what, $percent, $part, $whole);
        }
    } while (!$is_right && $GLOBALS['stretch'] < $tries);
    echo $lines;
}
