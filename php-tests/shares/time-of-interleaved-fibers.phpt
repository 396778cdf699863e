--TEST--
Fibers in flight at the same time are each charged with their own time
--EXTENSIONS--
xhprof
--CONFLICTS--
all
--FILE--
<?php
require __DIR__ . '/../include/time.php';

function short() { for ($i = 0; $i < 4; $i++) { short_step(); Fiber::suspend(); } }
function short_step() { spin(3); }
function long() { for ($i = 0; $i < 4; $i++) { long_step(); Fiber::suspend(); } }
function long_step() { spin(15); }

print_shares(function () {
    xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
    $fibers = [new Fiber('short'), new Fiber('long')];
    foreach ($fibers as $fiber) { $fiber->start(); }
    for ($i = 0; $i < 4; $i++) {
        foreach ($fibers as $fiber) { $fiber->resume(); }
    }
    $profile = xhprof_disable();
    $long = $profile['main()==>long']['wt'];
    $short = $profile['main()==>short']['wt'];
    return [
        // 12 ms against 60.
        'short of long' => [$short, $long, 10, 40],
        'short_step of long' => [$profile['short==>short_step']['wt'], $long, 10, 40],
        'long_step of long' => [$profile['long==>long_step']['wt'], $long, 90, 100],
        'both of main()' => [$long + $short, $profile['main()']['wt'], 90, 100],
    ];
});
?>
--EXPECT--
short of long: 10 to 40 %
short_step of long: 10 to 40 %
long_step of long: 90 to 100 %
both of main(): 90 to 100 %
