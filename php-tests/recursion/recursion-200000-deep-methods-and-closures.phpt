--TEST--
Very deep recursion through methods, closures and generators gives the program's result
--EXTENSIONS--
xhprof
--INI--
memory_limit=2G
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class Deep
{
    public function down(int $n) { return $n > 0 ? 1 + $this->down($n - 1) : 1; }
    public static function fixed(int $n) { return $n > 0 ? 1 + static::fixed($n - 1) : 1; }
}
$closure = function (int $n) use (&$closure) { return $n > 0 ? 1 + $closure($n - 1) : 1; };
function even(int $n) { return $n === 0 || odd($n - 1); }
function odd(int $n) { return $n !== 0 && even($n - 1); }

xhprof_enable(XHPROF_FLAGS_MEMORY);
var_dump((new Deep)->down(150_000), Deep::fixed(150_000), $closure(150_000), even(150_000));
$profile = xhprof_disable();
check_shape($profile, ['ct', 'wt', 'mu', 'pmu']);
print_calls(matching($profile, '/^main\(\)==>/'));
?>
--EXPECTF--
int(150001)
int(150001)
int(150001)
bool(true)
main()==>Deep::down: 1
main()==>Deep::fixed: 1
main()==>{closure%S}: 1
main()==>even: 1
main()==>var_dump: 1
main()==>xhprof_disable: 1
