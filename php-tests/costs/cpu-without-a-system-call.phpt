--TEST--
CPU time comes from the cycle counter where the kernel and the C library have what that needs
--EXTENSIONS--
xhprof
--SKIPIF--
<?php
$machine = php_uname('m');
if (PHP_OS_FAMILY !== 'Linux' || !in_array($machine, ['x86_64', 'aarch64'])) die('skip restartable sequences are used on Linux on x86-64 and aarch64');
require __DIR__ . '/../include/emulated.php';
if (is_emulated()) die('skip an emulated program has no restartable sequences');
$flags = file_get_contents('/proc/cpuinfo');
if ($machine === 'x86_64' && !preg_match('/^flags.*\bconstant_tsc\b.*\bnonstop_tsc\b/m', $flags)) die('skip the processor has no invariant counter');
if (getenv('USE_ZEND_ALLOC') === '0') die('skip valgrind has no restartable sequences');
if (is_file('/etc/alpine-release')) die('skip musl registers no restartable sequences');
?>
--FILE--
<?php
ob_start();
(new ReflectionExtension('xhprof'))->info();
preg_match('/^CPU time => (.*)$/m', ob_get_clean(), $row);
echo $row[1], "\n";

// It must be right, too: compared with the kernel's.
function works(): void
{
    for ($i = 0, $x = 0; $i < 20_000_000; $i++) {
        $x ^= $i;
    }
}
$usage = function (): int {
    $now = getrusage();
    return $now['ru_utime.tv_sec'] * 1_000_000 + $now['ru_utime.tv_usec'] + $now['ru_stime.tv_sec'] * 1_000_000 + $now['ru_stime.tv_usec'];
};
$before = $usage();
xhprof_enable(XHPROF_FLAGS_CPU);
works();
usleep(20_000);
$profile = xhprof_disable();
$share = $profile['main()']['cpu'] / ($usage() - $before);
echo $share > 0.9 && $share < 1.1 ? "as the kernel says\n" : "$share of what the kernel says\n";
?>
--EXPECT--
cycle counter, checked by rseq
as the kernel says
