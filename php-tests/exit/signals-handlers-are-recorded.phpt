--TEST--
A signal handler is called by the function that it interrupts
--EXTENSIONS--
xhprof
pcntl
posix
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function handler() { leaf(); }
function leaf() {}
function work() { posix_kill(getmypid(), SIGUSR1); leaf(); }

pcntl_async_signals(true);
pcntl_signal(SIGUSR1, 'handler');
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
$profile = xhprof_disable();
check_shape($profile);
echo $profile['handler==>leaf']['ct'], $profile['main()==>work']['ct'], "\n";
echo implode(' ', array_keys(matching($profile, '/==>handler$/'))), "\n";
?>
--EXPECTREGEX--
11
(work|leaf)==>handler
