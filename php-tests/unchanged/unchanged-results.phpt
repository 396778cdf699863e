--TEST--
References, static variables, func_get_args and returned values are as without a profile
--EXTENSIONS--
xhprof
--FILE--
<?php
function &reference(array &$list) { return $list[0]; }
function counts() { static $n = 0; return ++$n; }
function arguments() { return func_get_args(); }
function defaults($a, $b = 2, ...$rest) { return [$a, $b, $rest, func_num_args()]; }
function changes(&$x) { $x++; return $x; }
function generator() { $x = yield 1; return yield $x; }
class A
{
    public $value = 1;
    public function &get() { return $this->value; }
    public function __get($name) { return "magic $name"; }
    public static function make(): static { return new static; }
}
function all(): array
{
    $list = [1, 2];
    $first = &reference($list);
    $first = 5;
    $a = A::make();
    $value = &$a->get();
    $value = 9;
    $x = 1;
    $g = generator();
    $results = [
        $list, counts() - counts(), arguments(1, 'two', [3]), defaults(1), defaults(1, 3, 4, 5),
        changes($x), $x, $a->value, $a->other, $g->current(), $g->send(7), $g->send(8), $g->getReturn(),
        array_map(null, [1, 2], [3, 4]), preg_replace_callback('/\d/', fn ($m) => $m[0] * 2, 'a1b2'),
        (function () { return [...func_get_args(), static::class ?? null]; })->bindTo(null, A::class)(1),
        compact('x'), array_sum([1.5, 2]), max(...[1, 5, 3]),
    ];
    usort($results[0], fn ($a, $b) => $b <=> $a);
    extract(['extracted' => 1]);
    return [$results, get_defined_vars()['extracted'], $extracted];
}

$without = serialize(all());
xhprof_enable(XHPROF_FLAGS_CPU | XHPROF_FLAGS_MEMORY);
$with = serialize(all());
xhprof_disable();
var_dump($with === $without, counts());
?>
--EXPECT--
bool(true)
int(5)
