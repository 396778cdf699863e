--TEST--
The sampled array has an entry for each multiple of the interval on the wall clock, however late a sample is taken
--EXTENSIONS--
xhprof
--INI--
xhprof.sampling_interval=200000
--FILE--
<?php
const INTERVAL = 200_000;

function now(): int { return (int) (microtime(true) * 1_000_000); }
/** How many multiples of the interval are after $from and not after $to. */
function slots(int $from, int $to): int { return intdiv($to, INTERVAL) - intdiv($from, INTERVAL); }

function wait() { usleep(400_000); }
function work() { for ($end = now() + 250_000; now() < $end;); }

foreach (['wait', 'work', 'wait', 'wait'] as $number => $act) {
    usleep($number * 37_000);
    $before = now();
    xhprof_sample_enable();
    $began = now();
    $act();
    $ends = now();
    $samples = xhprof_sample_disable();
    $after = now();
    // Microseconds are cut off, ours and theirs.
    [$least, $most] = [slots($began + 1, $ends - 1), slots($before - 1, $after + 1)];
    if (count($samples) < $least || count($samples) > $most) {
        echo "$act: ", count($samples), " entries, not $least to $most\n";
    }
    if ($act === 'wait' && count($samples) < 2) {
        echo "two slots begin in two intervals\n";
    }
    $previous = null;
    foreach ($samples as $time => $stack) {
        [$seconds, $us] = explode('.', $time);
        $at = $seconds * 1_000_000 + (int) $us;
        if ($at % INTERVAL || $at < $before - 1 || $at > $after || $previous !== null && $at !== $previous + INTERVAL) {
            echo "$act: a slot at $time\n";
        }
        if (!str_starts_with($stack, 'main()')) {
            echo "$act: the stack $stack\n";
        }
        $previous = $at;
    }
}
echo "done\n";
?>
--EXPECT--
done
