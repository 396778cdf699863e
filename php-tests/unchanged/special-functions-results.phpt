--TEST--
What xhprof.special_functions changes, and what it does not: results stay, traces get a frame; the list is docs/production.md's
--EXTENSIONS--
xhprof
--SKIPIF--
<?php if (PHP_VERSION_ID >= 80300) die('skip the texts are those of PHP 8.2; the list is the same'); ?>
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$code = <<<'PHP'
<?php
final class Talks { public function __toString() { return frames(); } public function __call($n, $a) { return frames(); } }
final class Counts implements Countable { public function count(): int { frames(); return 3; } }
/** The functions that are on the stack here, the caller first. */
function frames(): string { $GLOBALS['seen'][] = $text = implode('<', array_slice(array_column(debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS), 'function'), 1)); return $text; }
function callee(int ...$numbers) { frames(); return array_sum($numbers); }
function wants_reference(&$x) { $x++; return $x; }
class A { public static function make() { return [get_called_class(), get_class()]; } public static function self_call() { return call_user_func('static::make'); } public static function own() { return 7; } public static function with_self() { return call_user_func('self::own'); } }
class B extends A {}
$seen = [];
set_error_handler(function ($level, $message) { $GLOBALS['seen'][] = "warning: $message, in " . implode('<', array_slice(array_column(debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS), 'function'), 1)); return true; });
$talks = new Talks; $counts = new Counts; $one = 1; $list = ['k' => 1, 2]; $words = ['x', 'y']; $n = 5;
$tests = [
 'strlen' => [fn () => strlen('abc'), fn () => strlen($n = 12), fn () => strlen($talks), fn () => strlen([]), fn () => strlen(null)],
 'is_null' => [fn () => is_null(null), fn () => is_null($undefined)],
 'is_bool' => [fn () => is_bool($one)], 'is_int' => [fn () => is_int($one)], 'is_float' => [fn () => is_float($one)], 'is_string' => [fn () => is_string($talks)],
 'is_array' => [fn () => is_array($list)], 'is_object' => [fn () => is_object($talks)], 'is_resource' => [fn () => is_resource(STDIN)], 'is_scalar' => [fn () => is_scalar($one)],
 'boolval' => [fn () => boolval($list), fn () => boolval($talks)],
 'intval' => [fn () => intval('12'), fn () => intval($talks), fn () => intval([])],
 'floatval' => [fn () => floatval('1.5'), fn () => floatval($talks)],
 'strval' => [fn () => strval(12), fn () => strval($talks), fn () => strval([1])],
 'defined' => [fn () => defined('PHP_VERSION'), fn () => defined('A::NONE')],
 'chr' => [fn () => chr(65)], 'ord' => [fn () => ord('a')],
 'call_user_func' => [fn () => call_user_func('callee', 1, 2), fn () => call_user_func('callee', 'x'), fn () => call_user_func('callee', '7'), fn () => call_user_func('missing'), fn () => call_user_func('wants_reference', $n), fn () => B::self_call(), fn () => A::with_self(), fn () => call_user_func([$talks, 'any'])],
 'call_user_func_array' => [fn () => call_user_func_array('callee', [1, 2]), fn () => call_user_func_array('callee', ['x']), fn () => call_user_func_array('missing', []), fn () => call_user_func_array('callee', 7), fn () => call_user_func_array('wants_reference', [$n])],
 'in_array' => [fn () => in_array('x', ['x', 'y']), fn () => in_array($talks, ['x', 'y']), fn () => in_array(1, ['1', 'y'], true), fn () => in_array('x', $words), fn () => in_array('x', 7)],
 'count' => [fn () => count($list), fn () => count($counts), fn () => count(7), fn () => count(null)],
 'get_class' => [fn () => get_class($talks), fn () => get_class(7), fn () => A::make()],
 'get_called_class' => [fn () => B::make(), fn () => (static fn () => get_called_class())->bindTo(null, null)()],
 'gettype' => [fn () => gettype($list)],
 'func_num_args' => [fn () => (function () { return func_num_args(); })(1, 2)],
 'func_get_args' => [fn () => (function ($a) { $a = 9; return func_get_args(); })(1, 2)],
 'array_slice' => [fn () => (function ($a) { return array_slice(func_get_args(), 1); })(1, 2)],
 'array_key_exists' => [fn () => array_key_exists('k', $list), fn () => array_key_exists([], $list), fn () => array_key_exists('k', 7), fn () => array_key_exists(1.5, $list), fn () => array_key_exists($talks, $list)],
 'compact' => [fn () => (function () { $a = 1; return compact('a'); })(), fn () => (function () { return compact('none'); })(), fn () => (function () { return compact(7); })()],
 'extract' => [fn () => (function () { $n = extract(['q' => 1]); return [$n, $q]; })()],
 'sprintf' => [fn () => sprintf('%s-%d', 'a', 3), fn () => sprintf('%s', $talks)],
];
foreach ($tests as $name => $calls) foreach ($calls as $i => $call) {
    $seen = [];
    try { $result = ['returns', $call()]; } catch (Throwable $error) { $result = ['throws', get_class($error), preg_replace('~ called in .*~', '', $error->getMessage()), implode('<', array_column($error->getTrace(), 'function'))]; }
    echo "$name $i ", json_encode([$result, $seen]), "\n";
}
PHP;
$strict = '<?php declare(strict_types=1);
function takes(int $number) { return $number; }
try { echo "strict 0 ", json_encode(call_user_func("takes", "7")), "\n"; } catch (TypeError) { echo "strict 0 \"TypeError\"\n"; }
try { echo "strict 1 ", json_encode(call_user_func_array("takes", ["7"])), "\n"; } catch (TypeError) { echo "strict 1 \"TypeError\"\n"; }
';
$outputs = [];
foreach ([0, 1] as $setting) {
    $lines = [];
    foreach ([$code, $strict] as $program) {
        $ended = run_code($program, "xhprof.special_functions=$setting");
        echo $ended->errors;
        $lines = [...$lines, ...explode("\n", trim($ended->output))];
    }
    $outputs[] = $lines;
}
[$without, $with] = $outputs;
echo count($without) === count($with) ? '' : "another number of lines\n";
$changed = $same = [];
foreach ($without as $i => $line) {
    $name = strtok($line, ' ');
    // The frame of the function itself is what is to be expected.
    $without_frame = str_replace(["\"$name<", "<$name<", " $name<"], ['"', '<', ' '], $with[$i]);
    if ($line === $with[$i]) {
        $same[$name] = true;
    } elseif ($without_frame === $line || $name === 'count' && str_contains($line, '["count<{closure}"]') || $name === 'strlen' && str_contains($line, '__toString')) {
        $changed[$name] = 'a frame';
    } else {
        // What else is changed is shown.
        echo "$line\n$with[$i]\n";
        $changed[$name] = 'a frame, and more';
    }
}
foreach ($changed as $name => $how) echo "$name: $how\n";
echo 'nothing: ', implode(' ', array_keys(array_diff_key($same, $changed))), "\n";
?>
--EXPECT--
call_user_func 1 [["throws","TypeError","callee(): Argument #1 must be of type int, string given,","callee<{closure}"],[]]
call_user_func 1 [["throws","TypeError","callee(): Argument #1 must be of type int, string given","callee<call_user_func<{closure}"],[]]
call_user_func_array 1 [["throws","TypeError","callee(): Argument #1 must be of type int, string given,","callee<{closure}"],[]]
call_user_func_array 1 [["throws","TypeError","callee(): Argument #1 must be of type int, string given","callee<call_user_func_array<{closure}"],[]]
array_key_exists 1 [["throws","TypeError","Illegal offset type","{closure}"],[]]
array_key_exists 1 [["throws","TypeError","array_key_exists(): Argument #1 ($key) must be a valid array offset type","array_key_exists<{closure}"],[]]
array_key_exists 4 [["throws","TypeError","Illegal offset type","{closure}"],[]]
array_key_exists 4 [["throws","TypeError","array_key_exists(): Argument #1 ($key) must be a valid array offset type","array_key_exists<{closure}"],[]]
strict 0 strict 0 "TypeError"
strict 0 7
strict 1 strict 1 "TypeError"
strict 1 7
strlen: a frame
intval: a frame
floatval: a frame
strval: a frame
call_user_func: a frame
call_user_func_array: a frame
in_array: a frame
count: a frame
get_class: a frame
get_called_class: a frame
array_key_exists: a frame, and more
strict: a frame, and more
nothing: is_null is_bool is_int is_float is_string is_array is_object is_resource is_scalar boolval defined chr ord gettype func_num_args func_get_args array_slice compact extract sprintf
