--TEST--
The samples of many runs that are shorter than the interval add up to the runs' time
--EXTENSIONS--
xhprof
--INI--
xhprof.sampling_interval=20000
--FILE--
<?php
require __DIR__ . '/../include/child.php';
require __DIR__ . '/../include/time.php';

$directory = make_directory();
print_shares(function () use ($directory) {
    $weights = $time = 0;
    for ($run = 0; $run < 150; $run++) {
        // Not in step with the slots of XHProf's array.
        usleep(random_int(0, 20_000));
        xhprof_sample_enable();
        $begin = hrtime(true);
        spin(10);
        xhprof_pause();
        $time += (hrtime(true) - $begin) / 1000;
        if (xhprof_status()['nodes'] > 1) {
            xhprof_dump("$directory/profile", 'xhprof');
            $weights += unserialize(file_get_contents("$directory/profile"))['main()']['wt'];
        }
        xhprof_sample_disable();
    }
    return ['weights of the time' => [$weights, $time, 70, 130]];
});
remove_directory($directory);
?>
--EXPECT--
weights of the time: 70 to 130 %
