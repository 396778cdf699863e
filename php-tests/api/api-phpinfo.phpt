--TEST--
phpinfo() says which engine and clock are in use, how well the clock is measured, and whether it is pinned
--EXTENSIONS--
xhprof
--INI--
xhprof.engine=execute
xhprof.clock=auto
opcache.jit=disable
--FILE--
<?php
// Without a JIT, under which this engine is refused.
ob_start();
(new ReflectionExtension('xhprof'))->info();
$text = ob_get_clean();
foreach ([
    '/^xhprof => enabled$/m',
    '/^Version => \d+\.\d+\.\d+/m',
    '/^Engine => execute$/m',
    '/^Clock => (TSC|\w+)/m',
    '/^\w+ frequency.* => [\d.]+ MHz, measured to within [\d.]+ ppm$|^Clock => CLOCK_MONOTONIC$/m',
    '/^\w+ invariant => (yes|no)$|^Clock => CLOCK_MONOTONIC$/m',
    '/^Pinned to a CPU => (yes|no)$/m',
    '/^xhprof\.output_dir => no value => no value$/m',
    '/^xhprof\.sampling_interval => 100000 => 100000$/m',
] as $line) {
    echo preg_match($line, $text) ? "yes\n" : "no: $line\n";
}
?>
--EXPECT--
yes
yes
yes
yes
yes
yes
yes
yes
yes
