--TEST--
What is left of a killed process says nothing of how it ended; a signal that is handled is its status
--EXTENSIONS--
xhprof
posix
--FILE--
<?php
require __DIR__ . '/../include/child.php';

/** The names' ends and the bytes of all files that a child leaves. */
function left(string $code, string $mode): string
{
    $folder = make_directory();
    run_code("<?php\n$code", 'xhprof.auto_enable=1', "xhprof.output_dir=$folder", $mode);
    $bytes = '';
    foreach (glob("$folder/*.xhp*") as $file) {
        $bytes .= strrchr($file, '.') . ' ' . file_get_contents($file);
    }
    remove_directory($folder);
    return $bytes;
}

$calls = 'function leaf() {} for ($i = 0; $i < 10_000; $i++) leaf(); ';
foreach ([
    'killed' => ['posix_kill(getmypid(), 9); sleep(60);', 'xhprof.mode=events'],
    'terminated' => ['posix_kill(getmypid(), 15); for (;;) leaf();', 'xhprof.mode=tree'],
    'exit' => ['exit(7);', 'xhprof.mode=events'],
] as $how => [$code, $mode]) {
    $bytes = left($calls . $code, $mode);
    echo "$how: ", strtok($bytes, ' '),
        // The byte behind the value may be a digit, too.
        preg_match('/exit_status(143|7)?/', $bytes, $match) ? " $match[0]" : '', "\n";
}
?>
--EXPECT--
killed: .partial
terminated: .xhp exit_status143
exit: .xhp exit_status7
