--TEST--
With xhprof.compensate the calls are the same, and a caller's times contain its callees'
--EXTENSIONS--
xhprof
--INI--
xhprof.compensate=1
--FILE--
<?php
function leaf() {}
function fib($n) { leaf(); return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }
function calls() { for ($i = 0; $i < 1000; $i++) { leaf(); abs($i); } return fib(10); }

$profiles = [];
foreach ([0, 1] as $compensate) {
    ini_set('xhprof.compensate', $compensate);
    foreach ([0, XHPROF_FLAGS_CPU | XHPROF_FLAGS_MEMORY] as $flags) {
        xhprof_enable($flags);
        calls();
        $profile = xhprof_disable();
        $profiles[$compensate][] = array_map(fn ($row) => $row['ct'], $profile);
        foreach (['wt', 'cpu'] as $time) {
            $own = [];
            foreach ($profile as $key => $row) {
                $value = $row[$time] ?? 0;
                if ($value < 0 || $value > 60_000_000) {
                    echo "$key $time $value\n";
                }
                $ends = explode('==>', $key);
                $own[end($ends)] = ($own[end($ends)] ?? 0) + $value;
                if (count($ends) > 1) {
                    $own[$ends[0]] = ($own[$ends[0]] ?? 0) - $value;
                }
            }
            foreach ($own as $function => $value) {
                if ($value < 0) {
                    echo "$function by itself: $time $value\n";
                }
            }
        }
    }
}
var_dump(function_exists('xhprof\nothing'));
var_dump($profiles[0] === $profiles[1]);
ksort($profiles[1][0]);
echo json_encode(array_slice($profiles[1][0], 0, 3)), "\n";

ob_start();
(new ReflectionExtension('xhprof'))->info();
$text = ob_get_clean();
echo preg_match_all('/^Left out of each call \(wall(, cpu, memory)?\) => user [\d.]+ ns, internal [\d.]+ ns$/m', $text), " measured\n";
?>
--EXPECT--
bool(false)
bool(true)
{"calls==>abs":1000,"calls==>fib":1,"calls==>leaf":1000}
2 measured
