--TEST--
Runs of the garbage collector, and the destructors that they call, are counted the same with adaptive and with exact timing
--EXTENSIONS--
xhprof
--FILE--
<?php
function leaf($x) { return $x + 1; }
class Circle
{
    public $self;
    function __construct() { $this->self = $this; }
    function __destruct() { leaf(1); }
}
function makes() { new Circle; }
function collects($x) { return gc_collect_cycles(); }

function program()
{
    // Some runs begin by themselves, in makes(): when there are 10,000 possible roots.
    for ($i = 0; $i < 25_000; $i++) {
        makes();
        leaf($i);
    }
    // Others where a function, its caller and a fiber have made calls that were not timed.
    for ($i = 0; $i < 300; $i++) {
        makes();
        leaf($i);
        collects($i);
        leaf($i);
        gc_collect_cycles();
    }
    $fiber = new Fiber(function () {
        for ($i = 0; $i < 300; $i++) {
            makes();
            leaf($i);
            collects($i);
            Fiber::suspend();
        }
    });
    for ($fiber->start(); !$fiber->isTerminated(); $fiber->resume()) {
        leaf(0);
    }
}

function calls($profile)
{
    $calls = [];
    foreach ($profile as $key => $row) {
        // PHP 8.4 calls this once a request, where the collector first runs within a fiber.
        if (str_ends_with($key, '==>gc_destructor_fiber')) {
            continue;
        }
        $ends = explode('==>', $key);
        $calls[end($ends)] = ($calls[end($ends)] ?? 0) + $row['ct'];
        if ($row['wt'] < 0 || $row['wt'] > $profile['main()']['wt']) {
            echo "$key: $row[wt] of {$profile['main()']['wt']}\n";
        }
    }
    ksort($calls);
    return $calls;
}

foreach (['edges', 'tree'] as $mode) {
    foreach ([0, XHPROF_FLAGS_CPU | XHPROF_FLAGS_MEMORY] as $flags) {
        $found = [];
        foreach (['exact', 'adaptive'] as $timing) {
            gc_collect_cycles();
            $before = gc_status()['runs'];
            xhprof_enable($flags, ['timing' => $timing, 'mode' => $mode]);
            program();
            $found[] = calls(xhprof_disable());
            $runs = gc_status()['runs'] - $before;
        }
        echo "$mode $flags: ", $found[0] === $found[1] ? 'the same calls' : 'OTHER CALLS';
        echo $runs > 900 ? '' : ", only $runs runs", "\n";
    }
}
foreach (['Circle::__destruct', 'collects', 'leaf', 'makes'] as $function) {
    echo $function, ' ', $found[1][$function], "\n";
}

// Within the collector: a destructor ends the profile, and begins another one.
class Restarts extends Circle
{
    public static $ended;
    function __destruct()
    {
        self::$ended = xhprof_disable();
        xhprof_enable(0, ['timing' => 'adaptive']);
        leaf(1);
    }
}
xhprof_enable(0, ['timing' => 'adaptive']);
for ($i = 0; $i < 1000; $i++) {
    leaf($i);
}
new Restarts;
gc_collect_cycles();
leaf(2);
$after = xhprof_disable();
echo Restarts::$ended['main()==>leaf']['ct'], ' ', $after['main()==>leaf']['ct'], "\n";
?>
--EXPECT--
edges 0: the same calls
edges 6: the same calls
tree 0: the same calls
tree 6: the same calls
Circle::__destruct 25600
collects 600
leaf 51800
makes 25600
1000 2
