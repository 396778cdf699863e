--TEST--
Generators open inside each other have levels, suspended ones do not
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function tree(int $depth) {
    leaf();
    if ($depth > 0) { foreach (tree($depth - 1) as $x) { yield $x; } }
    yield $depth;
}
function pair() { yield 1; yield 2; }
function leaf() {}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
foreach (tree(2) as $x);
// Both are suspended while the other one runs.
$one = pair();
$two = pair();
$one->current(); $two->current(); $one->next(); $two->next();
print_calls(xhprof_disable());
?>
--EXPECT--
tree==>leaf: 1
tree@1==>leaf: 1
tree@2==>leaf: 1
tree@1==>tree@2: 2
tree==>tree@1: 3
main()==>tree: 4
main()==>pair: 4
main(): 1
