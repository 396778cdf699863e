--TEST--
In each of the modes of Xdebug the rows are the same
--EXTENSIONS--
xhprof
--SKIPIF--
<?php
if (!is_file(ini_get('extension_dir') . '/xdebug.so')) die('skip Xdebug is not there');
?>
--INI--
opcache.jit=disable
--FILE--
<?php
// Without a JIT: PHP switches it off beside Xdebug, and prints so.
require __DIR__ . '/../include/calls.php';
require __DIR__ . '/../include/child.php';

$code = '<?php
function fib(int $n) { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }
function gen() { yield leaf(); yield leaf(); }
function leaf() { return array_sum([1]); }
function throws() { throw new Exception; }
class A { function __call($name, $arguments) { return array_map("leaf", [1, 2]); } }
function work() { fib(4); foreach (gen() as $x); (new A)->zork(); try { throws(); } catch (Exception) {} eval("leaf();"); }
xhprof_enable();
work();
foreach (xhprof_disable() as $edge => $cost) { echo "$edge: {$cost["ct"]}\n"; }
';
$file = tempnam(sys_get_temp_dir(), 'xhprof-test-');
file_put_contents($file, $code);
$expected = run_php($file)->output;
$directory = make_directory();
echo substr_count($expected, "\n"), " rows\n";
foreach (['off', 'develop', 'coverage', 'debug', 'gcstats', 'profile', 'trace', 'develop,trace,coverage'] as $mode) {
    $settings = ['-d', 'zend_extension=xdebug', '-d', "xdebug.mode=$mode", '-d', "xdebug.output_dir=$directory",
        '-d', 'xdebug.start_with_request=yes', '-d', 'xdebug.client_port=1', '-d', 'xdebug.log_level=0'];
    $ended = run_php(...[...$settings, $file]);
    if ($ended->output !== $expected || $ended->status !== 0 || $ended->errors !== '') {
        echo "$mode: status $ended->status\n$ended->output$ended->errors\n";
    }
}
unlink($file);
remove_directory($directory);
?>
--EXPECT--
17 rows
