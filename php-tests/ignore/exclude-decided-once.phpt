--TEST--
A function and a file are compared with the patterns once, however often they are called
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';
$directory = make_directory();
file_put_contents("$directory/library.php", '<?php
function library() { return 1; }
function other() { return library(); }
');
$code = <<<'PHP'
<?php
require __DIR__ . '/library.php';
class Box
{
    function open() { return (string) $this; }
    function __toString(): string { return 'box'; }
    function __call($name, $arguments) { return leaf(); }
}
function leaf() {}
function numbers() { yield 1; yield 2; }
function work(int $calls)
{
    $box = new Box;
    $closure = fn () => leaf();
    for ($i = 0; $i < $calls; $i++) {
        leaf();
        array_map($closure, [1]);
        other();
        $box->open();
        $box->magic();
        foreach (numbers() as $number);
        call_user_func('strrev', 'x');
    }
}
function compared(int $calls, array $options): int
{
    xhprof_enable(0, $options);
    work($calls);
    $compared = xhprof_status()['compared'];
    if (preg_grep('/==>(leaf|strrev|library)$/', array_keys(xhprof_disable()))) {
        echo "something is not left out\n";
    }
    return $compared;
}
foreach (['edges', 'tree', 'events'] as $mode) {
    $options = ['mode' => $mode, 'ignored_functions' => ['le*', '*REV', 'none*']];
    $one = compared(1, $options);
    $many = compared(2_000, $options);
    echo "$mode: ", $one > 5 ? 'compared' : $one, ', ', $many === $one ? 'once' : "$many times instead of $one", "\n";
}
PHP;
file_put_contents("$directory/script.php", $code);
$ended = run_php('-d', 'xhprof.exclude="*/library.php"', '-d', "xhprof.output_dir=$directory", "$directory/script.php");
echo $ended->output, $ended->errors;
xhprof_enable();
strrev('x');
echo xhprof_status()['compared'], " without patterns\n";
remove_directory($directory);
?>
--EXPECT--
edges: compared, once
tree: compared, once
events: compared, once
0 without patterns
