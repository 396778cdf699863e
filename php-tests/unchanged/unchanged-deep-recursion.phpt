--TEST--
Very deep recursion ends as without a profile: in its result, or in PHP's own error
--EXTENSIONS--
xhprof
--SKIPIF--
<?php if (ini_get('opcache.jit') === 'function') die('skip PHP itself is killed by its hard memory limit under the function JIT'); ?>
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$programs = [
    'function f($n) { return $n ? 1 + f($n - 1) : 0; } echo f(1_000_000);',
    '$f = new Fiber(function () { echo g(100_000); }); function g($n) { return $n ? 1 + g($n - 1) : 0; } $f->start();',
    'function f($n) { return $n ? 1 + f($n - 1) : 0; } echo f(300_000);',
    'function f($n) { return f($n + 1); } f(0);',
    'class A { function __get($n) { return $this->f(100_000); } function f($n) { return $n ? 1 + $this->f($n - 1) : 0; } } echo (new A)->x;',
    '$f = new Fiber(function () { echo g(50_000); Fiber::suspend(); echo g(50_000); }); function g($n) { return $n ? 1 + g($n - 1) : 0; } $f->start(); $f->resume();',
    'function g($n) { yield $n; if ($n) yield from g($n - 1); } $s = 0; foreach (g(10_000) as $x) $s += $x; echo $s;',
];
foreach ($programs as $program) {
    $plain = run_code("<?php /* nothing */ $program", 'memory_limit=256M');
    $profiled = run_code("<?php xhprof_enable(); $program", 'memory_limit=256M');
    $clean = fn ($text) => preg_replace(['~/\S*xhprof-test-\w+~', '/\(tried to allocate \d+ bytes\)/'], '', $text);
    $is_same = $clean($plain->output) === $clean($profiled->output) && $plain->status === $profiled->status;
    if (!$is_same) {
        echo $program, "\nwithout: $plain->status ", substr($plain->output, 0, 300),
            "\nwith: $profiled->status ", substr($profiled->output, 0, 300), "\n";
    }
}
echo count($programs), " programs\n";
?>
--EXPECT--
7 programs
