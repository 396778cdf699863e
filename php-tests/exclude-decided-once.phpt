--TEST--
A function is compared with the patterns once: a thousand patterns slow no call down
--EXTENSIONS--
xhprof
--FILE--
<?php
function leaf() {}
function work(int $calls) { for ($i = 0; $i < $calls; $i++) { leaf(); strlen((string) $i); } }
function cost(array $ignored): int
{
    xhprof_enable(0, ['ignored_functions' => $ignored]);
    work(20_000);
    $rows = xhprof_disable();
    if (isset($rows['work==>leaf'])) echo "leaf is there\n";
    return $rows['main()==>work']['wt'];
}
// Each of them takes as many steps as its text is long, and none fits but the last.
$patterns = array_map(fn ($n) => str_repeat('*l*e*a*', 20) . $n, range(1, 1_000));
$few = min(array_map(fn () => cost(['le*']), range(1, 5)));
$many = min(array_map(fn () => cost([...$patterns, 'le*']), range(1, 5)));
echo $many < 5 * $few + 50_000 ? "once\n" : "$many instead of $few\n";
?>
--EXPECT--
once
