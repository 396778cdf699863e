--TEST--
Adaptive timing finds the share of a function that is called often, and its memory exactly
--EXTENSIONS--
xhprof
--FILE--
<?php
function work() { $sum = 0; for ($i = 0; $i < 60; $i++) { $sum += $i * $i; } return $sum; }
function half() { for ($i = 0; $i < 20000; $i++) { work(); } }
function keep() { global $kept; $kept[] = str_repeat('x', 1000); }

// By CPU time: other programs may take the processor.
function share(): float
{
    xhprof_enable(XHPROF_FLAGS_CPU, ['timing' => 'adaptive']);
    half();
    // The same work without calls.
    for ($i = 0; $i < 20000; $i++) {
        for ($sum = $j = 0; $j < 60; $j++) { $sum += $j * $j; }
    }
    $profile = xhprof_disable();
    return $profile['half==>work']['cpu'] / $profile['main()']['cpu'];
}

for ($try = 0; $try < 5; $try++) {
    $share = share();
    if ($share > 0.35 && $share < 0.65) {
        break;
    }
}
echo $share > 0.35 && $share < 0.65 ? "about a half\n" : "$share\n";

$memory = [];
foreach (['exact', 'adaptive'] as $timing) {
    $kept = [];
    xhprof_enable(XHPROF_FLAGS_MEMORY | XHPROF_FLAGS_NO_BUILTINS, ['timing' => $timing]);
    for ($i = 0; $i < 5000; $i++) {
        keep();
    }
    $memory[$timing] = xhprof_disable()['main()==>keep']['mu'];
}
echo $memory['exact'] > 5000 * 1000 && abs($memory['exact'] - $memory['adaptive']) < 1000 ? "all memory\n" : json_encode($memory);
?>
--EXPECT--
about a half
all memory
