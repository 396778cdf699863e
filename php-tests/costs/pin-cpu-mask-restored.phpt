--TEST--
Pinning keeps to one CPU while a profile runs; afterwards and in forked children the old CPUs are back
--EXTENSIONS--
xhprof
pcntl
--INI--
xhprof.clock=pinned
--SKIPIF--
<?php
if (!is_readable('/proc/self/status')) die('skip needs /proc');
preg_match('/Cpus_allowed_list:\s*(\S+)/', file_get_contents('/proc/self/status'), $match);
if (preg_match('/^\d+$/', $match[1] ?? '0')) die('skip there is only one CPU to be on');
?>
--FILE--
<?php
function cpus(): string
{
    // Not /proc/self: PHP remembers where that leads, in a forked child too.
    preg_match('/Cpus_allowed_list:\s*(\S+)/', file_get_contents('/proc/' . getmypid() . '/status'), $match);
    return $match[1];
}
function is_one(string $cpus): string { return preg_match('/^\d+$/', $cpus) ? "one CPU\n" : "CPUs $cpus\n"; }

$before = cpus();
xhprof_enable();
$inside = cpus();
$child = pcntl_fork();
if ($child === 0) {
    echo 'child: ', cpus() === $before ? "as before\n" : is_one(cpus());
    exit;
}
pcntl_waitpid($child, $status);
xhprof_disable();
echo 'inside: ', is_one($inside);
echo 'after disable: ', cpus() === $before ? "as before\n" : cpus() . "\n";

// A second profile pins again; RSHUTDOWN restores the mask of a profile that was not ended.
xhprof_enable();
echo 'inside again: ', is_one(cpus());
xhprof_enable();
xhprof_disable();
xhprof_disable();
echo 'after: ', cpus() === $before ? "as before\n" : cpus() . "\n";
?>
--EXPECT--
child: as before
inside: one CPU
after disable: as before
inside again: one CPU
after: as before
