--TEST--
Sampling gives a stack for each slot of time, keyed by the slot's start
--EXTENSIONS--
xhprof
--INI--
xhprof.sampling_interval=2000
--CONFLICTS--
all
--FILE--
<?php
require __DIR__ . '/../include/time.php';

function outer() { for ($i = 0; $i < 60; $i++) { inner(); } }
function inner() { spin(1); }

function measure(): array
{
    $start = microtime(true);
    xhprof_sample_enable();
    outer();
    $samples = xhprof_sample_disable();
    $end = microtime(true);

    $in_inner = 0;
    foreach ($samples as $key => $stack) {
        $is_right = is_string($key)
            && preg_match('/^(\d+)\.(\d{6})$/', $key, $match)
            && ($match[1] * 1_000_000 + $match[2]) % 2000 === 0
            && (float) $key >= $start - 0.002 && (float) $key <= $end
            && str_starts_with($stack, 'main()')
            && !preg_match('/==>$|==>==>/', $stack);
        if (!$is_right) { echo "wrong sample $key: $stack\n"; }
        $in_inner += str_starts_with($stack, 'main()==>outer==>inner') ? 1 : 0;
    }
    $sorted = array_keys($samples);
    sort($sorted, SORT_STRING);
    if ($sorted !== array_keys($samples)) { echo "not in order\n"; }
    return [
        // 60 ms or more in slots of 2 ms.
        'samples' => [count($samples), (int) (($end - $start) * 1e6 / 2000), 70, 110],
        'inside inner' => [$in_inner, count($samples), 70, 100],
    ];
}
print_shares('measure');
?>
--EXPECT--
samples: 70 to 110 %
inside inner: 70 to 100 %
