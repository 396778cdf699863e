--TEST--
One signal ends a command that waits, at once and without a warning, and its profile is written
--EXTENSIONS--
xhprof
posix
--SKIPIF--
<?php if (PHP_OS_FAMILY !== 'Linux') die('skip reads the registers that the kernel saved, on Linux'); ?>
--FILE--
<?php
require __DIR__ . '/../include/child.php';

/** How PHP ends that gets a signal in `$code`, what it printed, and the profiles that it left. */
function ended(string $code, int $signal): string
{
    $folder = make_directory();
    file_put_contents("$folder/script.php", "<?php fwrite(STDERR, 'R');\n$code\necho 'it goes on';");
    $php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
    $command = 'exec ' . escapeshellarg($php) . ' ' . getenv('TEST_PHP_EXTRA_ARGS')
        . " -d xhprof.auto_enable=1 -d xhprof.output_dir=$folder -d display_errors=1 $folder/script.php";
    $child = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], ['pipe', 'w']], $pipes);
    fread($pipes[2], 1);
    // The program waits, or will in a moment: both must work.
    usleep(mt_rand(0, 100_000));
    posix_kill(proc_get_status($child)['pid'], $signal);
    for ($i = 0; $i < 3000 && ($status = proc_get_status($child))['running']; $i++) {
        usleep(10_000);
    }
    if ($status['running']) {
        proc_terminate($child, 9);
        return 'one signal did not end it';
    }
    stream_set_blocking($pipes[1], false);
    $profiles = count(glob("$folder/*.xhp"));
    $output = stream_get_contents($pipes[1]);
    remove_directory($folder);
    return "signal {$status['termsig']}, $profiles profile" . ($output === '' ? '' : ", output $output");
}

$pair = '[$one, $two] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0); ';
foreach ([
    'fgets(STDIN)' => 'fgets(STDIN);',
    'a socket' => $pair . 'fgets($one);',
    'stream_select' => $pair . '$read = [$one]; $none = null; stream_select($read, $none, $none, 60);',
    'sleep' => 'sleep(60);',
    'proc_close' => 'proc_close(proc_open("exec sleep 9 >/dev/null 2>&1 </dev/null", [], $pipes));',
    'PHP code' => 'for (;;) strrev("a");',
] as $what => $code) {
    foreach (['SIGINT' => 2, 'SIGTERM' => 15, 'SIGHUP' => 1] as $name => $signal) {
        $how = ended($code, $signal);
        if ($how !== "signal $signal, 1 profile") {
            echo "$what, $name: $how\n";
        }
    }
}
echo "done\n";
?>
--EXPECT--
done
