<?php
// Measuring on a machine that is not quiet. Other programs use the same cores: for
// some milliseconds everything takes 1.5 to 2 times as long. So a piece of work counts
// only if a yardstick, the same work each time, took about its best time just before
// and just after the piece.
//
// php quiet.php SECONDS prints the best time of the yardstick in ns. The driver passes
// it on in BENCH_YARDSTICK.

/** A piece counts if the yardstick beside it took at most this multiple of its best time. */
const UNDISTURBED = 1.08;

/** Time in ns of some work that no hook slows down; busy neighbours slow it down as much as PHP. */
function yardstick(): int
{
    static $text;
    $text ??= str_repeat('abcdefgh', 512);
    $start = hrtime(true);
    hash('sha256', $text);
    return hrtime(true) - $start;
}

/** The best time of the yardstick in this many seconds. */
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
 * Measures a piece until it was undisturbed $enough times. After $seconds it takes the
 * least disturbed pieces.
 *
 * @param callable(): float $piece does some work and returns its cost
 * @return array{float, bool} the median, and whether the pieces were undisturbed
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
