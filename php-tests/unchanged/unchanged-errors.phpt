--TEST--
The errors of a program are the same with and without a profile, their files and lines too
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$codes = [
    '<?php XX function a($x) { return $x / 0; } a(1);',
    '<?php XX function a(int $x) {} a("nonsense");',
    '<?php XX function a() { undefined(); } a();',
    '<?php XX echo $undefined; $array = []; echo $array["key"]; "text" + 1;',
    '<?php XX function a() { throw new LogicException("message", 7, new Exception("previous")); } a();',
    '<?php XX class A { function __destruct() { throw new Exception("late"); } } $a = new A; echo "end\n";',
    '<?php XX eval("nonsense nonsense");',
    '<?php XX include "not there"; require "not there";',
    '<?php XX function a(never ...$x): never {} a();',
    '<?php XX set_error_handler(function (...$x) { echo $x[1]; }); echo $undefined; trigger_error("mine");',
    '<?php XX function g() { yield 1; throw new Exception; } foreach (g() as $x) echo $x;',
    '<?php XX $f = new Fiber(function () { throw new Exception("out of a fiber"); }); $f->start();',
    '<?php XX (function () { exit("bye\n"); })();',
    '<?php XX function deep($n) { return $n ? deep($n - 1) : throw new Exception; } deep(5);',
    '<?php XX ini_set("memory_limit", "4M"); function grow() { return str_repeat("x", 50_000_000); } grow();',
    '<?php XX abstract class B { abstract function x(); } new B;',
    '<?php XX interface I { function x(); } eval("class C implements I {}");',
    '<?php XX assert(false); intdiv(1, 0);',
];
foreach ($codes as $code) {
    // The same length, so that nothing but the profile differs.
    $plain = run_code(str_replace('XX', '/* nothing is profiled here        */', $code));
    $profiled = run_code(str_replace('XX', 'xhprof_enable(XHPROF_FLAGS_CPU       );', $code));
    $path = '~/\S*xhprof-test-\w+~';
    $expected = preg_replace($path, 'FILE', $plain->output . $plain->errors) . $plain->status;
    $found = preg_replace($path, 'FILE', $profiled->output . $profiled->errors) . $profiled->status;
    if ($expected !== $found) {
        echo "$code\nwithout:\n$expected\nwith:\n$found\n\n";
    }
}
echo count($codes), " programs\n";
?>
--EXPECT--
18 programs
