--TEST--
With a JIT configured either the rows are right or enable says why there are none
--EXTENSIONS--
xhprof
opcache
--INI--
opcache.enable_cli=1
opcache.jit=tracing
opcache.jit_buffer_size=16M
opcache.optimization_level=0x7FFE3FFF
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function fib(int $n): int { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }

for ($i = 0; $i < 20; $i++) {
    if (fib(15) !== 610) { echo "wrong result\n"; }
}
$warning = null;
set_error_handler(function ($level, $message) use (&$warning) { $warning = $message; return true; });
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
if (fib(15) !== 610) { echo "wrong result while profiling\n"; }
$profile = xhprof_disable();
for ($i = 0; $i < 20; $i++) {
    if (fib(15) !== 610) { echo "wrong result afterwards\n"; }
}
if ($profile !== null) {
    check_shape($profile);
    echo array_sum(array_column($profile, 'ct')) === 1974 ? "right\n" : calls_of($profile);
} else {
    echo str_contains((string) $warning, 'JIT') ? "right\n" : "no profile, $warning\n";
}
?>
--EXPECT--
right
