--TEST--
Runs that are much shorter than the interval are sampled, too, once in a while
--EXTENSIONS--
xhprof
--INI--
xhprof.sampling_interval=20000
--FILE--
<?php
require __DIR__ . '/../include/time.php';

$sampled = 0;
for ($run = 0; $run < 150; $run++) {
    xhprof_sample_enable();
    spin(3);
    $sampled += xhprof_status()['nodes'] > 1;
    xhprof_sample_disable();
}
echo $sampled > 0 ? 'some' : 'none', $sampled < 100 ? ', not all' : ", $sampled of 150", "\n";
?>
--EXPECT--
some, not all
