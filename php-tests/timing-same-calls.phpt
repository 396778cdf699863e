--TEST--
Adaptive timing counts the same calls as exact timing, in the same order, and self times add up to the total
--EXTENSIONS--
xhprof
--INI--
xhprof.max_depth=60
memory_limit=512M
--FILE--
<?php
function leaf($x) { return $x + 1; }
function sometimes($x) { return $x % 50 === 0 ? leaf(leaf($x)) : $x; }
function late($x) { return $x >= 750 ? leaf($x) : $x; }
function down($n) { return $n > 0 ? down($n - 1) : leaf(0); }
function throws($x) { if ($x % 7 === 0) { throw new Exception('x'); } return $x; }
function catches($x) { try { throws($x); } catch (Exception) { return leaf($x); } return 0; }
function numbers($n) { for ($i = 0; $i < $n; $i++) { yield leaf($i); } }
function ignored($x) { return leaf($x); }
class Thing { public $x; function __destruct() { leaf(1); } }
function makes() { $thing = new Thing; $thing->x = 1; }
class Quiet { function __destruct() {} }
function drops() { $quiet = new Quiet; }
class Magic { function __call($name, $arguments) { return leaf(1); } }

function program()
{
    $magic = new Magic;
    for ($i = 0; $i < 1500; $i++) {
        leaf($i);
        abs($i);
        sometimes($i);
        late($i);
        catches($i);
        makes();
        drops();
        ignored($i);
        if ($i % 20 === 0) {
            down(80);
            $magic->anything($i);
            array_map('leaf', range(1, 30));
            $list = [3, 1, 2];
            usort($list, fn ($a, $b) => $a <=> $b);
        }
    }
    foreach (numbers(400) as $number) {
        leaf($number);
    }
    $fibers = [];
    for ($i = 0; $i < 30; $i++) {
        $fibers[] = $fiber = new Fiber(function () {
            for ($i = 0; $i < 40; $i++) {
                leaf($i);
                if ($i % 10 === 5) {
                    Fiber::suspend(leaf($i));
                }
            }
        });
        $fiber->start();
    }
    foreach ($fibers as $fiber) {
        for ($i = 0; $i < 100; $i++) {
            leaf($i);
        }
        $fiber->resume();
    }
}

function recorded($timing, $mode, $flags)
{
    xhprof_enable($flags, ['timing' => $timing, 'mode' => $mode, 'ignored_functions' => 'ignored']);
    @program();
    return xhprof_disable();
}

@program();
foreach (['edges', 'tree'] as $mode) {
    foreach ([0, XHPROF_FLAGS_CPU | XHPROF_FLAGS_MEMORY, XHPROF_FLAGS_NO_BUILTINS] as $flags) {
        [$exact, $adaptive] = [recorded('exact', $mode, $flags), recorded('adaptive', $mode, $flags)];
        $counts = fn ($profile) => array_map(fn ($row) => $row['ct'], $profile);
        echo "$mode $flags: ", $counts($exact) === $counts($adaptive) ? 'the same calls' : 'OTHER CALLS', "\n";
        if ($mode === 'edges' && $flags === 0) {
            echo $adaptive['program==>leaf']['ct'], ' ', $adaptive['late==>leaf']['ct'], "\n";
        }
        foreach (['wt', 'cpu'] as $time) {
            $own = [];
            foreach ($adaptive as $key => $row) {
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
            if (array_sum($own) !== ($adaptive['main()'][$time] ?? 0)) {
                echo "$time: self times are ", array_sum($own), ", not ", $adaptive['main()'][$time], "\n";
            }
        }
    }
}
?>
--EXPECT--
edges 0: the same calls
6400 750
edges 6: the same calls
edges 1: the same calls
tree 0: the same calls
tree 6: the same calls
tree 1: the same calls
