--TEST--
An exception while the arguments of a call are made leaves the callers right
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class A { public function __construct($x) { leaf(); } public function run($x) { return $this; } }
function outer($x, $y) { return leaf(); }
function throws() { leaf(); throw new Exception; }
function leaf() { return 1; }
function first() { return outer(leaf(), throws()); }
function second() { return new A(throws()); }
function third() { return (new A(leaf()))->run(throws())->run(1); }
function fourth() { return outer(...[leaf(), throws()]); }
function work(callable $what) { try { $what(); } catch (Exception) { after(); } }
function after() {}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
array_map('work', ['first', 'second', 'third', 'fourth']);
print_calls(xhprof_disable());
?>
--EXPECT--
first==>leaf: 1
throws==>leaf: 4
first==>throws: 1
work==>first: 1
work==>after: 4
main()==>work: 4
second==>throws: 1
work==>second: 1
third==>leaf: 1
A::__construct==>leaf: 1
third==>A::__construct: 1
third==>throws: 1
work==>third: 1
fourth==>leaf: 1
fourth==>throws: 1
work==>fourth: 1
main(): 1
