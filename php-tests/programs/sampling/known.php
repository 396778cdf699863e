<?php

// Functions with known shares of the CPU time: they repeat the same work different
// numbers of times. Prints the true shares as JSON.

// One unit of work, for each way in which programs spend time. The same code runs in
// functions of different names.
$kinds = [
    // A safe point in every turn of the loop.
    'loop' => 'for ($i = 0; $i < 3000; $i++) { $x = ($x * 31 + $i) & 0xffff; }',
    // No safe point inside.
    'straight' => str_repeat('$x = ($x * 31 + 7) & 0xffff; $x ^= 5; $x += 3;', 300),
    // The time of C functions is their own.
    'in_c' => 'for ($i = 0; $i < 15; $i++) { $x = md5(str_repeat("a", 4000)); }',
];
$shares = [1, 2, 3, 4];
foreach ($kinds as $kind => $work) {
    foreach ($shares as $share) {
        eval("function {$kind}_$share() { \$x = 1; $work return \$x; }");
    }
}
// Functions that are too short for a safe point.
foreach ($shares as $share) {
    eval("function leaf_$share(\$x) { " . str_repeat('$x = ($x * 31 + 7) & 0xffff; $x ^= 5;', 20) . ' return $x; }');
    eval("function calls_$share() { \$x = 1; for (\$i = 0; \$i < 20; \$i++) { \$x = leaf_$share(\$x); } return \$x; }");
}
$kinds['calls'] = '';

$kind = $argv[1];
$seconds = (float) $argv[2];
if ($kind === 'list') {
    echo implode(' ', array_keys($kinds)), "\n";
    exit;
}
$functions = array_map(fn ($share) => "{$kind}_$share", $shares);
$cpu = function (): float {
    $usage = getrusage();
    return $usage['ru_utime.tv_sec'] + $usage['ru_utime.tv_usec'] / 1e6;
};
do {
    foreach ($shares as $i => $share) {
        $function = $functions[$i];
        for ($n = 0; $n < $share; $n++) {
            $function();
        }
    }
} while ($cpu() < $seconds);

$truth = [];
foreach ($functions as $i => $function) {
    $truth[$function] = 100 * $shares[$i] / array_sum($shares);
}
echo json_encode($truth), "\n";
