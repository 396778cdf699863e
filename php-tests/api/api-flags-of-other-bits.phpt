--TEST--
Bits that are no flag mean nothing
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() { array_sum([1]); }

foreach ([8, 1 << 40, PHP_INT_MAX, -1, PHP_INT_MIN, 5 | 64] as $flags) {
    xhprof_enable($flags);
    a();
    $profile = xhprof_disable();
    echo $flags, ': ', count($profile), ' rows of ', implode(' ', array_keys($profile['main()'])), "\n";
}
?>
--EXPECT--
8: 4 rows of ct wt
1099511627776: 4 rows of ct wt
9223372036854775807: 2 rows of ct wt cpu mu pmu
-1: 2 rows of ct wt cpu mu pmu
-9223372036854775808: 4 rows of ct wt
69: 2 rows of ct wt mu pmu
