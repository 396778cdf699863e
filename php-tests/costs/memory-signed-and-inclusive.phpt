--TEST--
Memory is the signed difference over the call, callees included
--EXTENSIONS--
xhprof
--FILE--
<?php
function grows() { global $kept; $kept = makes(); }
function makes() { return str_repeat('x', 1_000_000); }
function shrinks() { global $kept; $kept = null; }
function peaks() { $gone = str_repeat('x', 8_000_000); $gone = null; }
function nothing() {}

$kept = null;
grows(); shrinks();
xhprof_enable(XHPROF_FLAGS_MEMORY);
grows();
shrinks();
peaks();
nothing();
$profile = xhprof_disable();

function about(string $edge, string $metric, int $least, int $most)
{
    global $profile;
    $value = $profile[$edge][$metric];
    echo "$edge $metric ", $value >= $least && $value <= $most ? "right\n" : "$value\n";
}
about('makes==>str_repeat', 'mu', 1_000_000, 1_100_000);
about('grows==>makes', 'mu', 1_000_000, 1_100_000);
about('main()==>grows', 'mu', 1_000_000, 1_100_000);
about('main()==>shrinks', 'mu', -1_100_000, -1_000_000);
about('main()==>shrinks', 'pmu', 0, 0);
about('main()==>peaks', 'mu', -10_000, 10_000);
about('main()==>peaks', 'pmu', 5_000_000, 9_000_000);
about('main()==>nothing', 'mu', 0, 0);
about('main()==>nothing', 'pmu', 0, 0);
about('main()', 'pmu', 5_000_000, 10_000_000);
?>
--EXPECT--
makes==>str_repeat mu right
grows==>makes mu right
main()==>grows mu right
main()==>shrinks mu right
main()==>shrinks pmu right
main()==>peaks mu right
main()==>peaks pmu right
main()==>nothing mu right
main()==>nothing pmu right
main() pmu right
