--TEST--
ini_set() with a wrong value warns once and changes nothing
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function a() {}

$warnings = [];
set_error_handler(function ($level, $message) use (&$warnings) { $warnings[] = $message; return true; });
foreach ([
    'xhprof.sampling_clock' => ['sundial', '', '1'],
    'xhprof.sampling_interval' => ['abc', '-5', '0', '1.5', "5\0", "\xff"],
    'xhprof.collect_additional_info' => ['2', 'maybe'],
    'xhprof.clock' => ['sundial', ''],
    'xhprof.flags' => ['everything'],
    'xhprof.max_depth' => ['0', str_repeat('9', 10_000)],
    'xhprof.max_nodes' => ['abc', '0'],
    'xhprof.output_dir' => ["/tmp\0/x"],
    'xhprof.run_init' => ['maybe'],
] as $name => $values) {
    $before = ini_get($name);
    foreach ($values as $value) {
        $warnings = [];
        $result = ini_set($name, $value);
        $is_right = $result === false && ini_get($name) === $before && count($warnings) === 1
            && str_contains($warnings[0], "$name must be ") && strlen($warnings[0]) < 500;
        if (!$is_right) {
            echo "$name = ", substr(json_encode($value), 0, 50), ': ';
            var_dump($result, ini_get($name), $warnings);
        }
    }
}
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
a();
print_calls(xhprof_disable());
?>
--EXPECT--
main()==>a: 1
main(): 1
