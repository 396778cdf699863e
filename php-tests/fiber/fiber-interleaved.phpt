--TEST--
Fibers in flight at the same time do not mix up their callers
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function red() { for ($i = 0; $i < 3; $i++) { red_step(); } }
function red_step() { pause(); leaf(); }
function blue() { for ($i = 0; $i < 3; $i++) { blue_step(); } }
function blue_step() { leaf(); pause(); }
function pause() { Fiber::suspend(); }
function leaf() {}
function schedule(array $fibers)
{
    foreach ($fibers as $fiber) { $fiber->start(); }
    do {
        $is_busy = false;
        foreach ($fibers as $fiber) {
            if (!$fiber->isTerminated()) { $fiber->resume(); $is_busy = true; }
        }
    } while ($is_busy);
}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
schedule([new Fiber('red'), new Fiber('blue'), new Fiber('red')]);
print_calls(xhprof_disable());
?>
--EXPECT--
blue_step==>leaf: 3
red_step==>pause: 6
red_step==>leaf: 6
red==>red_step: 6
blue_step==>pause: 3
blue==>blue_step: 3
schedule==>red: 2
schedule==>blue: 1
main()==>schedule: 1
main(): 1
