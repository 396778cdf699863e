--TEST--
On a PHP that an interrupt can crash, because of its tail-call VM, nothing is sampled, and the reason names the issue
--EXTENSIONS--
xhprof
ffi
--SKIPIF--
<?php
if (FFI::cdef('int zend_vm_kind(void);')->zend_vm_kind() !== 5) die("skip this PHP's VM is no tail-call VM");
if (PHP_VERSION_ID >= 80509) die('skip this PHP has the fix');
?>
--INI--
opcache.jit=disable
--FILE--
<?php
function work($n) { $x = 0; for ($i = 0; $i < $n; $i++) { $x = ($x * 31 + $i) & 0xffff; } return $x; }

xhprof_sample_enable();
echo work(1000), "\n";
var_dump(xhprof_sample_disable());
ob_start();
(new ReflectionExtension('xhprof'))->info();
echo preg_match('/^Fault of PHP => nothing is sampled: .*22265.*$/m', ob_get_clean(), $row), "\n$row[0]\n";
xhprof_enable();
work(1000);
echo isset(xhprof_disable()['main()==>work']) ? 'calls are recorded' : 'nothing is recorded', "\n";
?>
--EXPECTF--

Warning: xhprof_sample_enable(): nothing is recorded: php-src pull requests 21922 and 22265: with the tail-call VM an interrupt can crash this PHP; fixed in 8.5.9 at the latest; update PHP in %s on line 4
14836
NULL
1
Fault of PHP => nothing is sampled: php-src pull requests 21922 and 22265: with the tail-call VM an interrupt can crash this PHP; fixed in 8.5.9 at the latest; update PHP
calls are recorded
