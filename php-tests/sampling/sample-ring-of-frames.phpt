--TEST--
Sampling a program that ties its frames to a ring ends as without sampling: throwing into a running generator does that
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$code = <<<'PHP'
<?php
function busy($n) { for ($i = 0; $i < $n; $i++) { strlen('x'); } }
function generator() {
    yield 1;
    try { $GLOBALS['it']->throw(new Exception('thrown')); } catch (Throwable $e) { echo get_class($e), "\n"; busy(100000); }
    yield 2;
}
$it = generator();
$it->current();
$it->next();
PHP;
$directory = make_directory();
$settings = ['display_errors=1', 'log_errors=0', 'memory_limit=64M', "xhprof.output_dir=$directory", 'xhprof.sampling_interval=100'];
$plain = run_code($code, ...$settings);
// Each time the code is in another file.
$told = fn (Ended $ended) => preg_replace('~[^ ]*xhprof-test-\w+~', 'FILE', $ended->output);
$same = fn (Ended $ended) => $ended->status === $plain->status && $told($ended) === $told($plain);
foreach (['edges', 'sample'] as $mode) {
    $ended = run_code($code, 'xhprof.auto_enable=1', "xhprof.mode=$mode", ...$settings);
    echo "$mode: ", $same($ended) ? 'the same' : "$ended->status instead of $plain->status\n$ended->output$ended->errors", "\n";
}
// Looking for the functions that are known, too.
$ended = run_code(str_replace('get_class($e)', '(xhprof_enable() ?? xhprof_disable() ? get_class($e) : "")', $code), ...$settings);
echo 'enabled inside: ', $same($ended) ? 'the same' : $ended->output . $ended->errors, "\n";
remove_directory($directory);
?>
--EXPECT--
edges: the same
sample: the same
enabled inside: the same
