--TEST--
Ten thousand profiles in one process leave its memory as it was
--EXTENSIONS--
xhprof
--FILE--
<?php
function work(int $n) { return $n > 0 ? work($n - 1) : array_sum([1]); }
function rounds(int $n)
{
    for ($i = 0; $i < $n; $i++) {
        xhprof_enable(XHPROF_FLAGS_MEMORY, ['ignored_functions' => ['a', 'b', "c$i"]]);
        work(5);
        eval("function_exists('x');");
        $profile = xhprof_disable();
    }
    unset($profile);
    return memory_get_usage();
}
function resident(): int
{
    preg_match('/VmRSS:\s+(\d+)/', file_get_contents('/proc/self/status'), $match);
    return (int) $match[1];
}

rounds(1000);
$php = rounds(1000);
// The first reading compiles its regular expression only after the file was read.
resident();
$process = resident();
echo rounds(10_000) - $php < 1000 ? "PHP's memory is the same\n" : "PHP's memory grew\n";
$grown = resident() - $process;
echo $grown < 2000 ? "the process is as large as before\n" : "the process grew by $grown KB\n";
?>
--SKIPIF--
<?php
if (!is_readable('/proc/self/status')) die('skip needs /proc');
?>
--EXPECT--
PHP's memory is the same
the process is as large as before
