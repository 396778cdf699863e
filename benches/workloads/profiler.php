<?php
// The loaded profiler with XHProf's functions, for the workloads here.

/** The prefix of its functions: `xhprof`, `tideways_xhprof`, `floor`; null without a profiler. */
function profiler(): ?string
{
    foreach (['floor', 'tideways_xhprof', 'xhprof'] as $name) {
        if (function_exists("{$name}_enable")) return $name;
    }
    return null;
}

/** Begins a profile of $flags: any of wall, cpu, memory joined by a comma. */
function profile_begin(string $profiler, string $flags): void
{
    $bits = 0;
    foreach (['cpu', 'memory'] as $flag) {
        $constant = strtoupper("{$profiler}_flags_$flag");
        if (str_contains($flags, $flag) && defined($constant)) $bits |= constant($constant);
    }
    ("{$profiler}_enable")(...($profiler === 'floor' ? [] : [$bits]));
}

function profile_end(string $profiler): ?array
{
    return ("{$profiler}_disable")();
}

/** User and system time of this process so far, in nanoseconds. */
function cpu_ns(): float
{
    $u = getrusage();
    return ($u['ru_utime.tv_sec'] + $u['ru_stime.tv_sec']) * 1e9
        + ($u['ru_utime.tv_usec'] + $u['ru_stime.tv_usec']) * 1e3;
}

/** Resident memory of this process in bytes: PHP's and the extensions'. */
function resident_bytes(): int
{
    preg_match('/^VmRSS:\s+(\d+) kB/m', @file_get_contents('/proc/self/status') ?: '', $match);
    return 1024 * (int) ($match[1] ?? 0);
}
