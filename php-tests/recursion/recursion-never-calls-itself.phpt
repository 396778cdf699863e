--TEST--
No row has a caller and a callee of the same name, whatever recurses
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class Node
{
    public ?Node $next = null;
    public function __get($name) { return $this->next?->$name; }
    public function __call($name, $arguments) { return $this->next?->$name(); }
    public function __destruct() { $this->next = null; }
    public static function chain(int $n): ?Node
    {
        $node = new Node;
        $node->next = $n > 0 ? self::chain($n - 1) : null;
        return $node;
    }
}
function walk(int $n): Generator { yield $n; if ($n > 0) { yield from walk($n - 1); } }
function nested(int $n): Generator { yield $n; if ($n > 0) { foreach (nested($n - 1) as $x) { yield $x; } } }
$anonymous = function (int $n) use (&$anonymous) { return $n > 0 ? $anonymous($n - 1) : 0; };

xhprof_enable();
$chain = Node::chain(5);
$chain->undefined;
$chain->undefined();
$chain = null;
foreach (walk(4) as $x);
foreach (nested(4) as $x);
$anonymous(5);
call_user_func('call_user_func', 'call_user_func', 'strrev', 'abc');
array_map('array_map', ['strrev', 'strrev'], [['a'], ['b']]);
$start = new Fiber([new Fiber(fn () => 1), 'start']);
$start->start();
eval('eval("eval(\'1;\');");');
$profile = xhprof_disable();
check_shape($profile);
echo count($profile) > 40 ? 'many rows' : 'few rows';
?>
--EXPECT--
many rows
