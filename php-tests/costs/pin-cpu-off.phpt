--TEST--
With the kernel's clock nothing is pinned
--EXTENSIONS--
xhprof
--INI--
xhprof.clock=monotonic
--SKIPIF--
<?php
if (!is_readable('/proc/self/status')) die('skip needs /proc');
?>
--FILE--
<?php
function cpus(): string
{
    // Not /proc/self: PHP remembers where that leads, in a forked child too.
    preg_match('/Cpus_allowed_list:\s*(\S+)/', file_get_contents('/proc/' . getmypid() . '/status'), $match);
    return $match[1];
}
$before = cpus();
xhprof_enable();
var_dump(cpus() === $before);
xhprof_disable();
?>
--EXPECT--
bool(true)
