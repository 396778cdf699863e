--TEST--
A destructor is called by the function that releases the object: the owner of the variable, or the caller of the method that ended
--EXTENSIONS--
xhprof
--SKIPIF--
<?php if (ini_get('xhprof.engine') === 'observer') die('skip the observer engine: see nesting-destructors-of-many-kinds-observed'); ?>
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class Leaf { public function __destruct() {} }
class Node { public function __construct(public $kept = null) {} public function __destruct() { $mine = new Leaf; } }
class Tool { public function use() { return 1; } public function __destruct() {} }
function makes() { return new Leaf; }

function variable_of_a_destructor() { $node = new Node; }
function property_after_the_destructor() { $node = new Node(new Leaf); }
function method_of_a_temporary() { (new Tool)->use(); }
function unused_result() { makes(); }
function kept_result() { $it = makes(); }
function callback() { return new Leaf; }
function result_of_a_callback() { $list = [1]; array_walk($list, 'callback'); }
function overwritten() { $it = new Leaf; $it = null; }
function arguments() { (fn ($a) => 1)(new Leaf); }
function thrower() { $mine = new Leaf; throw new Exception; }
function exception() { try { thrower(); } catch (Exception) {} }
function generator() { $mine = new Leaf; yield 1; }
function finished() { foreach (generator() as $it); }
function unfinished() { foreach (generator() as $it) { break; } }
function yields() { yield new Leaf; yield new Leaf; }
function takes() { foreach (yields() as $it); }

$kinds = ['variable_of_a_destructor', 'property_after_the_destructor', 'method_of_a_temporary', 'unused_result', 'kept_result',
    'result_of_a_callback', 'overwritten', 'arguments', 'exception', 'finished', 'unfinished', 'takes'];
foreach ($kinds as $kind) {
    xhprof_enable();
    $kind();
    $rows = matching(xhprof_disable(), '/==>.*::__destruct/');
    $rows = array_combine(preg_replace('/\{closure[^}]*\}/', '{closure}', array_keys($rows)), $rows);
    ksort($rows);
    echo "$kind\n", preg_replace('/^/m', '  ', trim(calls_of($rows))), "\n";
}
?>
--EXPECT--
variable_of_a_destructor
  Node::__destruct==>Leaf::__destruct: 1
  variable_of_a_destructor==>Node::__destruct: 1
property_after_the_destructor
  Node::__destruct==>Leaf::__destruct: 1
  property_after_the_destructor==>Leaf::__destruct: 1
  property_after_the_destructor==>Node::__destruct: 1
method_of_a_temporary
  method_of_a_temporary==>Tool::__destruct: 1
unused_result
  makes==>Leaf::__destruct: 1
kept_result
  kept_result==>Leaf::__destruct: 1
result_of_a_callback
  array_walk==>Leaf::__destruct: 1
overwritten
  overwritten==>Leaf::__destruct: 1
arguments
  {closure}==>Leaf::__destruct: 1
exception
  thrower==>Leaf::__destruct: 1
finished
  generator==>Leaf::__destruct: 1
unfinished
  unfinished==>Leaf::__destruct: 1
takes
  takes==>Leaf::__destruct: 2
