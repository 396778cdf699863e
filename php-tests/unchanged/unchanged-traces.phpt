--TEST--
Exception traces and debug_backtrace are the same with and without a profile
--EXTENSIONS--
xhprof
--FILE--
<?php
class A
{
    public function run(callable $what) { return array_map($what, [1]); }
    public function __call($name, $arguments) { return $this->run(...$arguments); }
    public static function __callStatic($name, $arguments) { return (new self)->run(...$arguments); }
}
function throws() { throw new Exception('message'); }
function backtrace() { return json_encode(debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS)); }
function printed() { ob_start(); debug_print_backtrace(); return ob_get_clean(); }
function gen() { yield backtrace(); }
function all(): array
{
    $texts = [];
    try { (new A)->run('throws'); } catch (Exception $e) { $texts[] = $e->getTraceAsString(); }
    try { (new A)->undefined('throws'); } catch (Exception $e) { $texts[] = $e->getTraceAsString(); }
    $texts[] = (new A)->run('backtrace');
    $texts[] = A::undefined('backtrace');
    $texts[] = (new A)->run(fn () => printed());
    $texts[] = iterator_to_array(gen());
    $texts[] = (new Fiber(fn () => Fiber::suspend(backtrace())))->start();
    $texts[] = eval('return backtrace();');
    $texts[] = include __DIR__ . '/../fixtures/returns-backtrace.php';
    return $texts;
}
function both(): array
{
    static $profiled = [false, true];
    foreach ($profiled as $is_profiled) {
        if ($is_profiled) { xhprof_enable(); }
        $texts[] = all();
        xhprof_disable();
    }
    return $texts;
}

ini_set('xhprof.run_init', '1');
[$without, $with] = both();
var_dump($with === $without, count($with));
echo $with[0], "\n";
?>
--EXPECTF--
bool(true)
int(9)
#0 [internal function]: throws(1)
#1 %s(%d): array_map('throws', Array)
#2 %s(%d): A->run('throws')
#3 %s(%d): all()
#4 %s(%d): both()
#5 {main}
