--TEST--
xhprof.max_depth bounds the frames of a sample
--EXTENSIONS--
xhprof
--INI--
xhprof.sampling_interval=100
xhprof.max_depth=3
--FILE--
<?php
require __DIR__ . '/../include/time.php';

function a() { b(); }
function b() { c(); }
function c() { d(); }
function d() { spin_until_sampled(); }

xhprof_sample_enable();
a();
$samples = xhprof_sample_disable();
$deepest = 0;
foreach ($samples as $stack) {
    // main() is the profile's root, not one of the frames.
    $deepest = max($deepest, count(explode('==>', preg_replace('/^main\(\)==>/', '', $stack))));
}
echo "$deepest frames\n";
?>
--EXPECT--
3 frames
