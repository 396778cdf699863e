--TEST--
A profile that begins with other flags inside functions of the old one does not disturb their returns
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function inner(int $flags) { xhprof_disable(); xhprof_enable($flags); leaf(); }
function outer(int $flags) { array_map('inner', [$flags]); leaf(); }
function leaf() {}

// From every set of flags to every other one: CPU time needs a clock that
// stops being kept when the profile that asked for it ends.
foreach (range(0, 7) as $first) {
    foreach (range(0, 7) as $second) {
        xhprof_enable($first);
        outer($second);
        $profile = xhprof_disable();
        if (($profile['main()==>leaf']['ct'] ?? 0) !== 2 || isset($profile['main()==>outer'])) {
            echo "from $first to $second: ", implode(' ', array_keys($profile)), "\n";
        }
    }
}
echo "done\n";
?>
--EXPECT--
done
