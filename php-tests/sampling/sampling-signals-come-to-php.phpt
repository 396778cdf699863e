--TEST--
Signals still come to PHP, and children get the signal mask that they would have had
--EXTENSIONS--
xhprof
pcntl
posix
--SKIPIF--
<?php if (!is_readable('/proc/self/status')) die('skip reads /proc/self/status'); ?>
--INI--
xhprof.sampling_interval=100
--FILE--
<?php
function mask(): string
{
    preg_match('/^SigBlk:.*$/m', shell_exec('cat /proc/self/status'), $blocked);
    return $blocked[0];
}

function handler(int $signal): void
{
    global $seen;
    $seen[] = $signal;
}

pcntl_async_signals(true);
pcntl_signal(SIGUSR1, 'handler');
pcntl_signal(SIGALRM, 'handler');
$before = mask();

xhprof_sample_enable();
echo mask() === $before ? "the same mask\n" : mask() . " instead of $before\n";
// Sent to the process: the kernel chooses a thread that does not block it.
for ($i = 0; $i < 100; $i++) {
    posix_kill(getmypid(), SIGUSR1);
}
// A signal that is meant to end a sleep does.
$start = hrtime(true);
pcntl_alarm(1);
$left = sleep(30);
$took = (hrtime(true) - $start) / 1e9;
// Blocked and waited for.
pcntl_sigprocmask(SIG_BLOCK, [SIGUSR2]);
posix_kill(getmypid(), SIGUSR2);
$waited = pcntl_sigtimedwait([SIGUSR2], $info, 5);
pcntl_sigprocmask(SIG_UNBLOCK, [SIGUSR2]);
xhprof_sample_disable();

echo count(array_keys($seen, SIGUSR1)), " of SIGUSR1\n";
echo count(array_keys($seen, SIGALRM)), " of SIGALRM, ", $left > 20 && $took < 20 ? "which ended sleep()\n" : "but $left s were left\n";
echo $waited === SIGUSR2 ? "SIGUSR2 was waited for\n" : "no SIGUSR2\n";
?>
--EXPECT--
the same mask
100 of SIGUSR1
1 of SIGALRM, which ended sleep()
SIGUSR2 was waited for
