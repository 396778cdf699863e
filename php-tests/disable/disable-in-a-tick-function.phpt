--TEST--
Disable works in a tick function
--EXTENSIONS--
xhprof
--FILE--
<?php
declare(ticks=1);
namespace Ticking;

require __DIR__ . '/../include/calls.php';

function tick() {
    global $profile, $ticks;
    if (++$ticks === 2) { $profile = xhprof_disable(); }
}

register_tick_function('Ticking\tick');
$ticks = -1;
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
// Calls, because PHP 8.6 does not tick at assignments.
phpversion();
phpversion();
phpversion();
unregister_tick_function('Ticking\tick');
print_calls($profile);
?>
--EXPECTREGEX--
^main\(\)==>Ticking\\tick: [23]
main\(\): 1$
