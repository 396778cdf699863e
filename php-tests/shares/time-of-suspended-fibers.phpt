--TEST--
The time in which a fiber is suspended is not its functions' time
--EXTENSIONS--
xhprof
--CONFLICTS--
all
--FILE--
<?php
require __DIR__ . '/../include/time.php';

function task() { step(); }
function step() { spin(10); pause(); spin(10); }
function pause() { Fiber::suspend(); }
function elsewhere() { spin(100); }
function work() { $fiber = new Fiber('task'); $fiber->start(); elsewhere(); $fiber->resume(); }

print_shares(function () {
    xhprof_enable(XHPROF_FLAGS_NO_BUILTINS | XHPROF_FLAGS_CPU);
    work();
    $profile = xhprof_disable();
    $shares = [];
    foreach (['wt', 'cpu'] as $metric) {
        $elsewhere = $profile['work==>elsewhere'][$metric];
        // 20 ms in the fiber against 100 ms elsewhere; with the time suspended it would be 120.
        $shares["$metric of task"] = [$profile['work==>task'][$metric], $elsewhere, 10, 50];
        $shares["$metric of step"] = [$profile['task==>step'][$metric], $elsewhere, 10, 50];
        $shares["$metric of pause"] = [$profile['step==>pause'][$metric], $elsewhere, 0, 20];
        $shares["$metric of work"] = [$profile['main()==>work'][$metric], $profile['main()'][$metric], 90, 100];
    }
    return $shares;
});
?>
--EXPECT--
wt of task: 10 to 50 %
wt of step: 10 to 50 %
wt of pause: 0 to 20 %
wt of work: 90 to 100 %
cpu of task: 10 to 50 %
cpu of step: 10 to 50 %
cpu of pause: 0 to 20 %
cpu of work: 90 to 100 %
