--TEST--
The memory limit holds as without a profile
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$code = '<?php
XX;
function grow() { $kept = []; while (true) { $kept[] = str_repeat("x", 10_000); echo count($kept), "\n"; } }
grow();
';
$counts = [];
foreach (['strlen("nothing")', 'xhprof_enable(6)'] as $start) {
    $ended = run_code(str_replace('XX', $start, $code), 'memory_limit=16M');
    preg_match_all('/^\d+$/m', $ended->output, $match);
    $counts[] = (int) end($match[0]);
    echo preg_match('/Allowed memory size of 16777216 bytes exhausted/', $ended->output), " status $ended->status\n";
}
echo abs($counts[0] - $counts[1]) <= 5 ? "the same\n" : "$counts[0] without, $counts[1] with a profile\n";
?>
--EXPECT--
1 status 255
1 status 255
the same
