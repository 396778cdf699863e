--TEST--
PHP's own stack limit ends no program that it would not end without the profiler
--EXTENSIONS--
xhprof
--SKIPIF--
<?php if (PHP_VERSION_ID < 80300) die('skip the limit exists since PHP 8.3'); ?>
--FILE--
<?php
require __DIR__ . '/../include/calls.php';
require __DIR__ . '/../include/child.php';

$code = '<?php
function down(int $n): int { return $n === 0 ? 0 : 1 + down($n - 1); }
function in_callback(int $n) { return $n === 0 ? 0 : array_map(fn () => in_callback($n - 1), [1]); }
xhprof_enable();
try {
    echo down(%d), " levels\n";
    $fiber = new Fiber(fn () => print(down(%d) . " levels in a fiber\n"));
    $fiber->start();
} catch (Error $error) {
    echo $error->getMessage(), "\n";
}
$profile = xhprof_disable();
echo $profile["main()"]["ct"], " profile\n";
// Without an end: PHP must throw, and not crash.
xhprof_enable();
try {
    in_callback(1_000_000);
    echo "no limit\n";
} catch (Error $error) {
    echo get_class($error), "\n";
}
xhprof_disable();
down(10);
';
foreach ([
    ['zend.max_allowed_stack_size=1M', 20_000, 5_000],
    ['zend.max_allowed_stack_size=512K', 20_000, 5_000],
    ['zend.max_allowed_stack_size=0', 200_000, 50_000],
    ['fiber.stack_size=600K', 20_000, 20_000],
] as [$setting, $levels, $in_fiber]) {
    $ended = run_code(sprintf($code, $levels, $in_fiber), $setting, 'memory_limit=-1');
    echo "$setting: $ended->status\n$ended->output$ended->errors";
}
?>
--EXPECT--
zend.max_allowed_stack_size=1M: 0
20000 levels
5000 levels in a fiber
1 profile
Error
zend.max_allowed_stack_size=512K: 0
20000 levels
5000 levels in a fiber
1 profile
Error
zend.max_allowed_stack_size=0: 0
200000 levels
50000 levels in a fiber
1 profile
Error
fiber.stack_size=600K: 0
20000 levels
20000 levels in a fiber
1 profile
Error
