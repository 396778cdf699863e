--TEST--
A pause while the main script compiles leaves no call open
--EXTENSIONS--
xhprof
--INI--
opcache.enable_cli=0
--FILE--
<?php
// OPcache compiles without the error handler of the program.
require __DIR__ . '/../include/child.php';

$folder = make_directory();
file_put_contents("$folder/prepend", '<?php
set_error_handler(function () {
    xhprof_pause();
    usleep(2000);
    return true;
});
');
// Deprecated when it is compiled.
file_put_contents("$folder/main", '<?php
function late($a = 1, $b) {}
usleep(2000);
xhprof_resume();
function leaf() {}
leaf();
');
$settings = ['xhprof.auto_enable=1', "xhprof.output_dir=$folder", 'xhprof.output_format=xhprof', 'xhprof.mode=edges',
    'xhprof.flags=cpu', "auto_prepend_file=$folder/prepend"];
foreach (['edges', 'tree'] as $mode) {
    $arguments = array_merge(...array_map(fn ($setting) => ['-d', $setting], [...$settings, "xhprof.mode=$mode"]));
    $ended = run_php(...[...$arguments, "$folder/main"]);
    echo $ended->output, $ended->errors;
    [$file] = glob("$folder/*.xhprof");
    $profile = unserialize(file_get_contents($file));
    unlink($file);
    $inner = [];
    foreach ($profile as $name => $cost) {
        $caller = strstr($name, '==>', true);
        foreach (['wt', 'cpu'] as $metric) {
            if ($cost[$metric] < 0 || $cost['ct'] < 1) {
                echo "$name: ", json_encode($cost), "\n";
            }
            if ($caller !== false) {
                $inner[$caller][$metric] = ($inner[$caller][$metric] ?? 0) + $cost[$metric];
            }
        }
    }
    foreach ($inner as $caller => $cost) {
        $own = array_filter($profile, fn ($name) => $name === $caller || str_ends_with($name, "==>$caller"), ARRAY_FILTER_USE_KEY);
        foreach ($cost as $metric => $sum) {
            // A microsecond of rounding a row.
            if ($sum > array_sum(array_column($own, $metric)) + 20) {
                echo "$caller: its callees took $sum of $metric, and it ", array_sum(array_column($own, $metric)), "\n";
            }
        }
    }
    $loads = array_filter($profile, fn ($name) => str_contains($name, 'load::') && str_ends_with($name, 'main'), ARRAY_FILTER_USE_KEY);
    echo count($loads), ' compilation of the main script, ', array_sum(array_column($loads, 'ct')), " call\n";
    $leaves = array_filter($profile, fn ($name) => str_ends_with($name, '==>leaf'), ARRAY_FILTER_USE_KEY);
    echo array_sum(array_column($leaves, 'ct')), " leaf\n";
}
remove_directory($folder);
?>
--EXPECT--
1 compilation of the main script, 1 call
1 leaf
1 compilation of the main script, 1 call
1 leaf
