--TEST--
Functions that wait do so as long, and with the same results, as without sampling
--EXTENSIONS--
xhprof
posix
--INI--
xhprof.sampling_interval=1000
--FILE--
<?php
// A signal would end each of these early, or make it fail.
function waits(string $what, float $seconds, callable $wait): void
{
    $start = hrtime(true);
    $result = $wait();
    $took = (hrtime(true) - $start) / 1e9;
    echo $what, ': ', var_export($result, true),
        $took >= $seconds ? '' : sprintf(', but after %.3f s', $took), "\n";
}

[$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$file = tempnam(sys_get_temp_dir(), 'xhprof');
$holder = proc_open(
    [getenv('TEST_PHP_EXECUTABLE'), '-n', '-r',
        '$f = fopen($argv[1], "r"); flock($f, LOCK_EX); echo "held"; fgets(STDIN); usleep(200000);', '--', $file],
    [['pipe', 'r'], ['pipe', 'w']],
    $pipes,
);
fread($pipes[1], 4);

xhprof_sample_enable();
waits('sleep', 1, fn () => sleep(1));
waits('usleep', 0.2, fn () => usleep(200_000));
waits('time_nanosleep', 0.2, fn () => time_nanosleep(0, 200_000_000));
waits('time_sleep_until', 0.2, fn () => time_sleep_until(microtime(true) + 0.21));
waits('stream_select', 0.2, function () use ($ours) {
    $read = [$ours];
    $write = $except = null;
    return stream_select($read, $write, $except, 0, 200_000);
});
waits('fread', 0.2, function () use ($ours) {
    stream_set_timeout($ours, 0, 200_000);
    return [(string) fread($ours, 10), stream_get_meta_data($ours)['timed_out']];
});
waits('flock', 0.2, function () use ($file, $pipes) {
    $handle = fopen($file, 'r');
    fwrite($pipes[0], "\n");
    return flock($handle, LOCK_EX);
});
waits('shell_exec', 0.2, fn () => shell_exec('sleep 0.2; echo done'));
waits('proc_close', 0.2, fn () => proc_close(proc_open(['sh', '-c', 'sleep 0.2; exit 7'], [], $none)));
$samples = xhprof_sample_disable();

proc_close($holder);
unlink($file);
foreach (['sleep', 'usleep', 'time_nanosleep', 'time_sleep_until', 'stream_select', 'fread', 'flock', 'shell_exec', 'proc_close'] as $function) {
    $seen = preg_grep("/==>$function$/", $samples);
    if (count($seen) < ($function === 'sleep' ? 900 : 150)) {
        echo "$function was seen ", count($seen), " times\n";
    }
}
?>
--EXPECT--
sleep: 0
usleep: NULL
time_nanosleep: true
time_sleep_until: true
stream_select: 0
fread: array (
  0 => '',
  1 => true,
)
flock: true
shell_exec: 'done
'
proc_close: 7
