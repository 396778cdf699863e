--TEST--
CPU time does not go back where the process waits or is switched out: no function costs less than its callees
--EXTENSIONS--
xhprof
--FILE--
<?php
function leaf(int $n) { for ($i = 0; $i < $n; $i++); }
function inner(int $n) { leaf($n); if ($n % 7 === 0) { usleep(1); } leaf(1); }
function outer(int $n) { inner($n); }

for ($round = 0; $round < 3; $round++) {
    xhprof_enable(XHPROF_FLAGS_CPU);
    for ($i = 0; $i < 3000; $i++) { outer($i % 400); }
    $profile = xhprof_disable();
    foreach (['main()==>outer' => ['outer==>inner'], 'outer==>inner' => ['inner==>leaf', 'inner==>usleep']] as $caller => $callees) {
        $inside = array_sum(array_map(fn ($callee) => $profile[$callee]['cpu'], $callees));
        // Rounded to microseconds.
        if ($inside > $profile[$caller]['cpu'] + 3) {
            echo "$caller: {$profile[$caller]['cpu']} µs, its callees $inside\n";
        }
    }
    if ($profile['main()']['cpu'] > $profile['main()']['wt'] + 10_000) {
        echo "more CPU time than time\n";
    }
}
echo "done\n";
?>
--EXPECT--
done
