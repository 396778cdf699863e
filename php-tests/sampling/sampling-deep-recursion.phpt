--TEST--
Recursion as deep as PHP goes is sampled without harm, and its levels are counted
--EXTENSIONS--
xhprof
--INI--
xhprof.sampling_interval=1000
memory_limit=-1
--FILE--
<?php
function deep(int $n): int { return $n === 0 ? wide() : deep($n - 1) + 1; }
function wide(): int { for ($i = 0; $i < 1_000_000; $i++); return 0; }

xhprof_sample_enable();
$result = deep(200_000);
$samples = xhprof_sample_disable();
$deepest = 0;
foreach ($samples as $stack) {
    $deepest = max($deepest, substr_count($stack, '==>'));
}
echo $result, ' ', $deepest > 1000 ? 'deep' : $deepest, "\n";

ini_set('xhprof.max_depth', 5);
xhprof_sample_enable();
deep(200_000);
$deepest = 0;
foreach (xhprof_sample_disable() as $stack) {
    $deepest = max($deepest, substr_count($stack, '==>'));
}
echo $deepest, "\n";
?>
--EXPECT--
200000 deep
5
