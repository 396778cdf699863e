--TEST--
Samples name functions of every kind as a profile does, in each engine and without one
--EXTENSIONS--
xhprof
--SKIPIF--
<?php if (ini_get('opcache.jit') === 'function') die('skip nothing is sampled under the function JIT, see sampling-jit'); ?>
--FILE--
<?php
require __DIR__ . '/../include/child.php';

// Each kind spends its time in busy() or by itself, so each is on a stack.
$code = <<<'PHP'
<?php
namespace App;
function busy(): int { $x = 1; for ($i = 0; $i < 300000; $i++) { $x = ($x * 31 + $i) & 0xffff; } return $x; }
abstract class Base { function inherited() { busy(); } static function of_class() { busy(); } }
trait Help { function help() { busy(); } }
class Thing extends Base {
    use Help;
    function __call($name, $arguments) { busy(); }
    function __destruct() { busy(); }
    function makes() { return function () { busy(); }; }
}
function gen() { busy(); yield 1; busy(); }
function outer() { yield from gen(); }
function recursive($n) { $n ? recursive($n - 1) : busy(); }
function throws() { busy(); throw new \Exception; }
function catches() { try { throws(); } catch (\Exception) { busy(); } }
function fiber() { busy(); \Fiber::suspend(); busy(); }
function starts() { $fiber = new \Fiber('App\fiber'); $fiber->start(); $fiber->resume(); }
function includes() { include $GLOBALS['file']; }
function everything() {
    $thing = new Thing;
    $thing->inherited(); Thing::of_class(); $thing->help(); $thing->magic();
    ($thing->makes())();
    array_map(fn () => busy(), [1, 2]);
    foreach (outer() as $x);
    // When a function ends, PHP has left it before its variables go.
    $thing = null;
    recursive(2); catches(); starts(); includes();
    eval('namespace App; function in_eval() { busy(); } in_eval();');
    $anonymous = new class { function run() { busy(); } };
    $anonymous->run();
    $list = range(1, 30000); sort($list); usort($list, static fn ($a, $b) => $b <=> $a);
    str_repeat(md5(str_repeat('a', 10_000_000)), 3);
}
$GLOBALS['file'] = tempnam(sys_get_temp_dir(), 'xhprof');
file_put_contents($GLOBALS['file'], '<?php namespace App; function in_file() { busy(); } in_file(); return 1;');
xhprof_sample_enable();
everything();
$seen = array_flip(xhprof_sample_disable());
unlink($GLOBALS['file']);
echo implode("\n", array_keys($seen));
PHP;

$wanted = [
    'main()==>App\everything==>App\Base::inherited==>App\busy',
    'main()==>App\everything==>App\Base::of_class==>App\busy',
    'main()==>App\everything==>App\Thing::help==>App\busy',
    'main()==>App\everything==>App\Thing::__call==>App\busy',
    'main()==>App\everything==>App\Thing::__destruct==>App\busy',
    'main()==>App\everything==>App\Thing::{closure}==>App\busy',
    'main()==>App\everything==>array_map==>{closure}==>App\busy',
    'main()==>App\everything==>App\gen==>App\busy',
    'main()==>App\everything==>App\recursive==>App\recursive@1==>App\recursive@2==>App\busy',
    'main()==>App\everything==>App\catches==>App\throws==>App\busy',
    'main()==>App\everything==>App\catches==>App\busy',
    'main()==>App\everything==>App\starts==>Fiber::start==>App\fiber==>App\busy',
    'main()==>App\everything==>App\starts==>Fiber::resume==>App\fiber==>App\busy',
    'main()==>App\everything==>App\includes==>App\in_file==>App\busy',
    'main()==>App\everything==>App\in_eval==>App\busy',
    'main()==>App\everything==>class@anonymous::run==>App\busy',
    'main()==>App\everything==>usort',
    'main()==>App\everything==>md5',
];
foreach (['execute', 'observer', 'off'] as $engine) {
    $missing = $wanted;
    // A busy machine may look elsewhere all the time, but not every time.
    for ($try = 0; $missing && $try < 200; $try++) {
        $ended = run_code($code, "xhprof.engine=$engine", 'xhprof.sampling_interval=200');
        // PHP 8.4 names closures by their places, and not by their namespace.
        $stacks = preg_replace('/\{closure[^}]*\}/', '{closure}', $ended->output);
        $stacks = str_replace('App\{closure}', '{closure}', $stacks);
        $missing = array_diff($missing, explode("\n", $stacks));
        foreach (explode("\n", $stacks) as $stack) {
            if (!str_starts_with($stack, 'main()==>App\everything') && !preg_match('/^main\(\)(==>xhprof_\w+)?$/', $stack)) {
                echo "$engine: $stack\n";
            }
        }
        echo $ended->errors;
    }
    echo "$engine: ", $missing ? "not seen:\n" . implode("\n", $missing) : 'all seen', "\n";
}
?>
--EXPECT--
execute: all seen
observer: all seen
off: all seen
