--TEST--
A setting with a wrong value at start gives one warning and its default
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

// Each with its default, then values that it cannot hold.
$wrong = [
    'xhprof.sampling_clock' => ['wall', 'sundial', '1', ''],
    'xhprof.sampling_interval' => ['100000', 'abc', '-5', '0', '1.5', '99999999999999999999', ' '],
    'xhprof.collect_additional_info' => ['0', '2', 'maybe', '-1'],
    'xhprof.auto_enable' => ['0', '2', 'maybe', 'triggers'],
    'xhprof.capture' => ['', 'a;b', 'a=b', 'X-Request-Id, /etc', str_repeat('a', 65)],
    'xhprof.closure_names' => ['auto', '2', 'maybe', 'automatic'],
    'xhprof.clock' => ['auto', 'sundial', '1'],
    'xhprof.engine' => ['auto', 'steam', '1'],
    'xhprof.flags' => ['cpu memory sql', 'everything', '7', 'cpu memory nonsense'],
    'xhprof.debug' => ['0', '2', 'maybe'],
    'xhprof.max_dir_size' => ['0', 'abc', '-1', '1K', '99999999999G', 'G'],
    'xhprof.max_per_minute' => ['0', 'abc', '-1', '1.5', '1000001'],
    'xhprof.max_depth' => ['25000', 'abc', '-1', '0', '99999999999'],
    'xhprof.max_nodes' => ['10000000', 'abc', '-1', '0', '99999999999'],
    'xhprof.max_events_size' => ['1G', 'abc', '-1', '0', '1K', '99999999999G', 'G'],
    'xhprof.min_duration' => ['0', 'abc', '-1', '1.5', '10s', '86400001'],
    'xhprof.mode' => ['tree', 'bush', '1', ''],
    'xhprof.output_format' => ['native', 'pdf', '1', ''],
    'xhprof.output_name' => ['%i.%s', '', '../x', '/etc/x', '%x', '100%'],
    'xhprof.file_permissions' => ['0600', 'abc', '-1', '0400', '0999', '01600', '6', 'rw'],
    'xhprof.rate' => ['1', 'abc', '-1', '1.5', '1%', 'nan', 'inf'],
    'xhprof.run_init' => ['0', '2', 'maybe'],
    'xhprof.special_functions' => ['0', '2', 'maybe'],
    'xhprof.trigger' => ['', 'a b', 'a=b', str_repeat('a', 65)],
];
$any_text = ['xhprof.app', 'xhprof.release', 'xhprof.automatic_dir', 'xhprof.output_dir', 'xhprof.exclude', 'xhprof.match', 'xhprof.trigger_secret'];
$all = array_diff(array_keys(ini_get_all('xhprof')), array_keys($wrong), $any_text);
echo $all ? 'not tested: ' . implode(' ', $all) . "\n" : "all tested\n";

$code = '<?php
    $name = $_SERVER["argv"][1];
    function a() {}
    echo "value ", var_export(ini_get($name), true), "\n";
    xhprof_enable(1);
    a();
    echo implode(" ", array_keys(xhprof_disable())), "\n";
';
$file = tempnam(sys_get_temp_dir(), 'xhprof-test-');
file_put_contents($file, $code);
foreach ($wrong as $name => $values) {
    $expected = 'value ' . var_export(array_shift($values), true) . "\nmain()==>a main()\n";
    foreach ($values as $value) {
        $ended = run_php('-d', 'display_errors=1', '-d', 'display_startup_errors=1', '-d', "$name=\"$value\"", $file, $name);
        $output = preg_replace('/^\s*Warning: .*\n/m', '', $ended->output, -1, $warnings);
        $says = str_contains($ended->output, "$name must be ") && str_contains($ended->output, "\"$value\"");
        if ($warnings !== 1 || !$says || $output !== $expected || $ended->status !== 0 || $ended->errors !== '') {
            echo "$name=$value: status $ended->status, $warnings warnings\n$ended->output$ended->errors\n";
        }
    }
}
unlink($file);
?>
--EXPECT--
all tested
