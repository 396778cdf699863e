--TEST--
After a fork, parent and child are both sampled on, and neither is left with a thread
--EXTENSIONS--
xhprof
pcntl
--SKIPIF--
<?php if (!is_dir('/proc/self/task')) die('skip counts threads in /proc/self/task'); ?>
--INI--
xhprof.sampling_interval=1000
--FILE--
<?php
require __DIR__ . '/../include/time.php';

function before() { spin_until_sampled(); }
function parent_works() { spin_until_sampled(); }
function child_works() { spin_until_sampled(); }
function threads(): int { return count(glob('/proc/self/task/*')); }

$alone = threads();
foreach (['wall', 'cpu'] as $clock) {
    ini_set('xhprof.sampling_clock', $clock);
    xhprof_sample_enable();
    before();
    $child = pcntl_fork();
    $child === 0 ? child_works() : parent_works();
    $samples = implode("\n", xhprof_sample_disable());
    $lines = '';
    foreach (['before', 'parent_works', 'child_works'] as $function) {
        $lines .= str_contains($samples, "==>$function") ? "  saw $function\n" : '';
    }
    $lines .= threads() === $alone ? '' : threads() . " threads\n";
    if ($child === 0) {
        echo "child\n$lines";
        exit;
    }
    pcntl_waitpid($child, $status);
    echo "parent\n$lines";
}

// Children that end, or disable at once, without a look at the timer.
xhprof_sample_enable();
for ($i = 0; $i < 50; $i++) {
    $child = pcntl_fork();
    if ($child === 0) {
        if ($i % 2) { xhprof_sample_disable(); }
        exit(3);
    }
    pcntl_waitpid($child, $status);
    if (pcntl_wexitstatus($status) !== 3) { echo "a child ended with status $status\n"; }
}
xhprof_sample_disable();
?>
--EXPECT--
child
  saw before
  saw child_works
parent
  saw before
  saw parent_works
child
  saw before
  saw child_works
parent
  saw before
  saw parent_works
