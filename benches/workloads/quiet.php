<?php
// Measuring on a machine that is not quiet. Others work on the same cores: for some
// milliseconds everything takes half as long again or twice as long, and then not.
// So a piece of work is only believed if a yardstick, the same work each time, took
// no longer than at its best just before and just after it.
//
// php quiet.php SECONDS prints what the yardstick takes at its best, in ns; the
// driver passes that on in BENCH_YARDSTICK.

/** How much longer than at its best the yardstick may take beside a piece that is believed. */
const UNDISTURBED = 1.08;

/** Time of some work that nobody's hooks slow down, and busy neighbours as much as PHP; in ns. */
function yardstick(): int
{
    static $text;
    $text ??= str_repeat('abcdefgh', 512);
    $start = hrtime(true);
    hash('sha256', $text);
    return hrtime(true) - $start;
}

/** Least time of the yardstick in so many seconds. */
function yardstick_at_best(float $seconds): int
{
    $least = PHP_INT_MAX;
    $end = hrtime(true) + $seconds * 1e9;
    do {
        $least = min($least, yardstick());
    } while (hrtime(true) < $end);
    return $least;
}

/**
 * Measures a piece until that was undisturbed $enough times; after $seconds it takes
 * what was disturbed least.
 *
 * @param callable(): float $piece does something and returns what it cost
 * @return array{float, bool} the median, and whether that was undisturbed
 */
function undisturbed(callable $piece, int $enough, float $seconds): array
{
    $best = (int) (getenv('BENCH_YARDSTICK') ?: 0) ?: yardstick_at_best(0.05);
    $costs = $disturbances = [];
    $quiet = 0;
    $end = hrtime(true) + $seconds * 1e9;
    $before = yardstick();
    do {
        $costs[] = $piece();
        $after = yardstick();
        $disturbances[] = $disturbance = max($before, $after) / $best;
        $quiet += $disturbance <= UNDISTURBED;
        $before = $after;
    } while ($quiet < $enough && (hrtime(true) < $end || count($costs) < $enough));
    array_multisort($disturbances, $costs);
    $taken = array_slice($costs, 0, max(1, min($enough, max($quiet, intdiv($enough, 2)))));
    sort($taken);
    return [$taken[intdiv(count($taken), 2)], $quiet >= count($taken)];
}

if (realpath($argv[0] ?? '') === __FILE__) echo yardstick_at_best((float) ($argv[1] ?? 1)), "\n";
