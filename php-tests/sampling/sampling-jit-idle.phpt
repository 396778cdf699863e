--TEST--
With a JIT and xhprof.mode=sample, engine auto hooks nothing: it samples, and says what tracing needs
--EXTENSIONS--
xhprof
opcache
--SKIPIF--
<?php if (ini_get('opcache.jit') === false) die('skip this PHP has no JIT'); ?>
--FILE--
<?php
require __DIR__ . '/../include/child.php';
require __DIR__ . '/../include/faults.php';

$code = <<<'PHP'
<?php
function work($n) { $x = 0; for ($i = 0; $i < $n; $i++) { $x = ($x * 31 + $i) & 0xffff; } return $x; }
echo 'JIT ', opcache_get_status()['jit']['on'] ? 'on' : 'off', ', engine ', xhprof_status()['engine'], "\n";
xhprof_enable();
$result = work(1000);
echo $result, ' ', isset(xhprof_disable()['main()==>work']) ? 'traced' : 'not traced', "\n";
for ($try = 0, $seen = ''; $try < 500 && !$seen; $try++) {
    xhprof_sample_enable();
    work(1000000);
    $samples = xhprof_sample_disable();
    $seen = $samples === null ? 'refused' : (preg_match('/==>work\b/', implode(' ', $samples)) ? 'sampled' : '');
}
echo $seen, "\n";
PHP;
$jit = ['opcache.enable_cli=1', 'opcache.jit_buffer_size=16M', 'opcache.jit=tracing', 'display_errors=1', 'xhprof.sampling_interval=500'];
foreach ([
    ['xhprof.engine=auto', 'xhprof.mode=sample'],
    ['xhprof.engine=off', 'xhprof.mode=edges'],
    ['xhprof.engine=auto', 'xhprof.mode=edges'],
    ['xhprof.engine=observer', 'xhprof.mode=sample'],
    ['xhprof.engine=auto', 'xhprof.mode=sample', 'opcache.jit=disable'],
] as $settings) {
    echo implode(' ', $settings), "\n";
    $ended = run_code($code, ...$jit, ...$settings);
    // Without a JIT, a thread-safe PHP has the observer.
    $output = PHP_ZTS ? str_replace('JIT off, engine observer', 'JIT off, engine execute', $ended->output) : $ended->output;
    if (has_fault_21910() && str_contains($output, 'JIT on, engine observer')) {
        $output = preg_replace('/\nWarning: [^\n]* php-src pull request 21910: [^\n]*\nrefused/', 'sampled', $output, -1, $refused);
        echo $refused === 1 ? '' : "sampling was not refused\n";
    }
    echo preg_replace('/ in \S+ on line \d+/', '', $output), $ended->errors, "\n";
}
?>
--EXPECT--
xhprof.engine=auto xhprof.mode=sample
JIT on, engine off

Warning: xhprof_enable(): nothing is recorded: PHP was started with xhprof.mode=sample and a JIT, so it can only sample, and the JIT pays nothing for it; to record calls, set xhprof.engine=observer, or another xhprof.mode, in php.ini
14836 not traced
sampled

xhprof.engine=off xhprof.mode=edges
JIT on, engine off

Warning: xhprof_enable(): nothing is recorded: xhprof.engine is off
14836 not traced
sampled

xhprof.engine=auto xhprof.mode=edges
JIT on, engine observer
14836 traced
sampled

xhprof.engine=observer xhprof.mode=sample
JIT on, engine observer
14836 traced
sampled

xhprof.engine=auto xhprof.mode=sample opcache.jit=disable
JIT off, engine execute
14836 traced
sampled
