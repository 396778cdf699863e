--TEST--
Wall time is inclusive and agrees with the program's own clock, whichever clock is read
--EXTENSIONS--
xhprof
--CONFLICTS--
all
--FILE--
<?php
require __DIR__ . '/../include/time.php';

$inner = 0;
function outer() { spin(20); inner(); inner(); }
function inner() { $start = hrtime(true); spin(10); $GLOBALS['inner'] += hrtime(true) - $start; }

foreach (['auto', 'monotonic'] as $clock) {
    ini_set('xhprof.clock', $clock);
    echo "$clock\n";
    print_shares(function () {
        $GLOBALS['inner'] = 0;
        xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
        $start = hrtime(true);
        outer();
        $elapsed = intdiv(hrtime(true) - $start, 1000);
        $profile = xhprof_disable();
        $outer = $profile['main()==>outer']['wt'];
        return [
            "outer of the program's clock" => [$outer, $elapsed, 98, 101],
            'outer of main()' => [$outer, $profile['main()']['wt'], 95, 100],
            "inner of the program's clock" => [$profile['outer==>inner']['wt'], intdiv($GLOBALS['inner'], 1000), 98, 101],
        ];
    });
}
?>
--EXPECT--
auto
outer of the program's clock: 98 to 101 %
outer of main(): 95 to 100 %
inner of the program's clock: 98 to 101 %
monotonic
outer of the program's clock: 98 to 101 %
outer of main(): 95 to 100 %
inner of the program's clock: 98 to 101 %
