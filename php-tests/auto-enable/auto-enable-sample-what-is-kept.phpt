--TEST--
Automatic samples are kept, named and limited like any automatic profile
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$code = '<?php
function spin($ms) { $end = hrtime(true) + $ms * 1e6; while (hrtime(true) < $end); }
spin(40);
xhprof_tag("route", "articles");
%s';
$sampled = ['xhprof.auto_enable=1', 'xhprof.mode=sample', 'xhprof.sampling_interval=1000'];
$try = function (string $end, string ...$settings) use ($code, $sampled) {
    $directory = make_directory();
    $ended = run_code(sprintf($code, $end), "xhprof.output_dir=$directory", ...$sampled, ...$settings);
    $files = array_map(fn ($file) => basename($file), glob("$directory/*"));
    $tagged = array_filter($files, fn ($file) => str_contains(file_get_contents("$directory/$file"), 'articles'));
    remove_directory($directory);
    return rtrim(count($files) . ' written, ' . count($tagged) . ' tagged, ' . preg_replace('/ in .*/s', '', trim($ended->output . str_replace($directory, 'DIR', $ended->errors))), ', ');
};
echo 'too short: ', $try('', 'xhprof.min_duration=100000'), "\n";
echo 'long enough: ', $try('', 'xhprof.min_duration=10'), "\n";
echo 'failed: ', $try('http_response_code(503);', 'xhprof.min_duration=100000'), "\n";
echo 'fatal: ', $try('ini_set("display_errors", 0); ini_set("log_errors", 0); none();', 'xhprof.min_duration=100000'), "\n";
echo 'by the way: ', $try('ini_set("xhprof.min_duration", 0);', 'xhprof.min_duration=100000'), "\n";
echo 'no room: ', $try('file_put_contents(ini_get("xhprof.output_dir") . "/large", str_repeat("x", 70000));', 'xhprof.max_dir_size=64K'), "\n";
echo 'with room: ', $try('', 'xhprof.max_dir_size=1M'), "\n";
echo 'left out: ', $try('', 'xhprof.match=!*'), "\n";

$directory = make_directory();
$environment = ['XHPROF' => '1', 'XHPROF_OUTPUT' => "$directory/one.xhprof"];
foreach ($environment as $name => $value) {
    putenv("$name=$value");
}
$ended = run_code(sprintf($code, ''), 'xhprof.mode=sample', 'xhprof.sampling_interval=1000');
echo $ended->output, str_replace($directory, 'DIR', $ended->errors), implode(' ', array_map(basename(...), glob("$directory/*"))), "\n";
$rows = unserialize(file_get_contents("$directory/one.xhprof"));
echo 'times of the samples: ', $rows['main()']['wt'] > 20_000 && isset($rows['main()==>spin']) ? 'plausible' : json_encode($rows), "\n";
remove_directory($directory);
?>
--EXPECT--
too short: 0 written, 0 tagged
long enough: 1 written, 1 tagged
failed: 1 written, 1 tagged
fatal: 1 written, 1 tagged
by the way: 1 written, 1 tagged
no room: 1 written, 0 tagged, xhprof: a profile was dropped: DIR has reached xhprof.max_dir_size; 1 so far
with room: 1 written, 1 tagged
left out: 0 written, 0 tagged
xhprof: profile written to DIR/one.xhprof
one.xhprof
times of the samples: plausible
