--TEST--
Each flag adds its own metrics, in their order, to every row
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function work() { return array_sum([1]); }

foreach ([0, XHPROF_FLAGS_CPU, XHPROF_FLAGS_MEMORY, XHPROF_FLAGS_CPU | XHPROF_FLAGS_MEMORY] as $flags) {
    xhprof_enable($flags);
    work();
    $profile = xhprof_disable();
    $metrics = array_keys($profile['main()']);
    check_shape($profile, $metrics);
    echo implode(' ', $metrics), ', ', count($profile), " rows\n";

    xhprof_enable($flags | XHPROF_FLAGS_NO_BUILTINS);
    work();
    $profile = xhprof_disable();
    check_shape($profile, $metrics);
    echo implode(' ', $metrics), ', ', count($profile), " rows\n";
}
?>
--EXPECT--
ct wt, 4 rows
ct wt, 2 rows
ct wt cpu, 4 rows
ct wt cpu, 2 rows
ct wt mu pmu, 4 rows
ct wt mu pmu, 2 rows
ct wt cpu mu pmu, 4 rows
ct wt cpu mu pmu, 2 rows
