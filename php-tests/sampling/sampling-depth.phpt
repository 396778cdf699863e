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
// Long enough for the timer on a machine with much else to do.
function d() { for ($i = 0; $i < 150; $i++) { spin_cpu(1); } }

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
