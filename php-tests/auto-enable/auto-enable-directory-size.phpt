--TEST--
xhprof.max_dir_size drops what does not fit, tells the log once a process, and file_permissions lets others read
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$directory = make_directory();
$settings = ['xhprof.auto_enable=1', "xhprof.output_dir=$directory", 'xhprof.max_dir_size=100K', 'xhprof.file_permissions=0640'];
umask(0077);
$ended = run_code('<?php echo "one\n";', ...$settings);
echo $ended->output, $ended->errors;
foreach (glob("$directory/*.xhp") as $file) {
    printf("%04o\n", fileperms($file) & 0777);
}
// What others put there counts when the directory is counted again: not before a minute is over.
$ledger = glob("$directory/.xhprof-*.ledger");
echo count($ledger), ' ledger, ', sprintf('%04o', fileperms($ledger[0]) & 0777), "\n";
file_put_contents("$directory/large", str_repeat('x', 110_000));
run_code('<?php', ...$settings);
echo count(glob("$directory/*.xhp")), " before it is counted\n";
file_put_contents($ledger[0], 'nonsense');
foreach (['tree', 'events'] as $mode) {
    $ended = run_code('<?php function f() {} for ($i = 0; $i < 300000; $i++) f(); echo "two\n";', "xhprof.mode=$mode", ...$settings);
    echo $ended->output, str_replace($directory, 'DIR', $ended->errors);
}
echo count(glob("$directory/*.xhp*")), " afterwards\n";
unlink("$directory/large");
unlink($ledger[0]);
run_code('<?php', ...$settings);
echo count(glob("$directory/*.xhp")), " with room again\n";
// A clock that was wrong once does not mean that nothing is counted again.
file_put_contents($ledger[0], 'xhprof-ledger-1 1 1 18446744073709551615 18446744073709551615 0');
run_code('<?php', ...$settings);
echo count(glob("$directory/*.xhp")), " when the clock is right again\n";
// What cannot be written is not counted.
$counted = fn () => (int) explode(' ', file_get_contents($ledger[0]))[3];
$before = $counted();
mkdir("$directory/taken.xhp");
$ended = run_code('<?php', 'xhprof.output_name=taken', ...$settings);
echo str_contains($ended->errors, 'cannot write the profile') ? '' : $ended->errors, $counted() - $before, " bytes of what could not be written\n";
rmdir("$directory/taken.xhp");
// Neither a link nor another kind of file is taken for ours.
unlink($ledger[0]);
touch("$directory/victim");
symlink("$directory/victim", $ledger[0]);
$ended = run_code('<?php', ...$settings);
echo str_contains($ended->errors, 'cannot open') ? '' : $ended->errors, filesize("$directory/victim"), " bytes through a link\n";
unlink($ledger[0]);
link("$directory/victim", $ledger[0]);
$ended = run_code('<?php', ...$settings);
echo str_contains($ended->errors, 'is not a file of ours') ? '' : $ended->errors, filesize("$directory/victim"), " bytes through a hard link\n";
remove_directory($directory);
?>
--EXPECT--
one
0640
1 ledger, 0600
2 before it is counted
two
xhprof: a profile was dropped: DIR has reached xhprof.max_dir_size; 1 so far
two
xhprof: a profile was dropped: DIR has reached xhprof.max_dir_size; 2 so far
2 afterwards
3 with room again
4 when the clock is right again
0 bytes of what could not be written
0 bytes through a link
0 bytes through a hard link
