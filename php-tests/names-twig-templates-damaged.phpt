--TEST--
A class that only looks like Twig's keeps PHP's names, whatever its methods contain
--EXTENSIONS--
xhprof
--INI--
xhprof.output_format=xhprof
--FILE--
<?php
require __DIR__ . '/include/calls.php';

/** Ends the profile; its names are those of a file. */
function written(): array
{
    $file = xhprof_write();
    $profile = unserialize(file_get_contents($file));
    unlink($file);
    return $profile;
}

class Source { public function __construct(...$values) {} }
trait Shared { public function shared() { return (fn () => 1)(); } }
abstract class Base { public function getSourceContext() { return new Source('', 'inherited', ''); } public function getDebugInfo() { return [1 => 2]; } }

$good = 'function getSourceContext() { return new Source("", "good", ""); }';
$cases = [
    'no method' => '',
    'inherited' => ['extends Base', ''],
    'abstract' => ['abstract', 'abstract function getSourceContext(); abstract function getDebugInfo();'],
    'one argument' => 'function getSourceContext() { return new Source("a"); }',
    'two arguments, and a call' => 'function getSourceContext() { return new Source("a", "b", strtolower("C")); }',
    'numbers' => 'function getSourceContext() { return new Source(1, 2, 3); }',
    'a variable' => 'function getSourceContext() { $b = "b" . rand(); return new Source("a", $b, "c"); }',
    'arguments in another order' => 'function getSourceContext() { return new Source(c: "a", b: "b", a: "c"); }',
    'unpacked' => 'function getSourceContext() { return new Source(...["a", "b", "c"]); }',
    'nothing' => 'function getSourceContext() {}',
    'late' => 'function getSourceContext() { ' . str_repeat('strlen(rand());', 50) . ' return new Source("a", "b", "c"); }',
    'a generator' => 'function getSourceContext() { yield new Source(rand(), "b", "c"); }',
    'a nested object' => 'function getSourceContext() { return new Source(new Source("a", "nested", "c"), "b", "c"); }',
    'an anonymous class' => 'function getSourceContext() { return new class("a", "anonymous", "c") { function __construct() {} }; }',
    'static' => 'static function getSourceContext() { return new Source("a", "static", "c"); }',
    'another file' => "$good use Shared;",
    'no lines' => "$good function getDebugInfo() { return []; }",
    'other lines' => "$good function getDebugInfo() { return ['a' => 1, 2 => 'b', -1 => 5, 1 => -5, 3 => [], 4 => 1.5, 99999999999 => 1, 1 => 99999999999]; }",
    'no array of lines' => "$good function getDebugInfo() { return 7; }",
    'computed lines' => "$good function getDebugInfo() { return [1 => rand()]; }",
    'other bytes' => 'function getSourceContext() { return new Source("", "a==>b\0c\xff@1", "/d\0e"); }',
    'an empty name' => 'function getSourceContext() { return new Source("", "", ""); }',
];
foreach ($cases as $name => $code) {
    [$modifiers, $code] = is_array($code) ? $code : ['', $code];
    [$abstract, $extends] = $modifiers === 'abstract' ? ['abstract', ''] : ['', $modifiers];
    $hash = md5($name);
    $class = "__TwigTemplate_$hash";
    eval("$abstract class $class $extends { public static function doDisplay() { return (fn () => 1)(); } $code }");
    xhprof_enable(XHPROF_FLAGS_NO_BUILTINS, ['mode' => 'tree']);
    $class::doDisplay();
    if ($name === 'another file') {
        (new $class)->shared();
    }
    $profile = written();
    unset($profile['main()']);
    $lines = array_map(fn ($key, $cost) => "$key: $cost[ct]", array_keys($profile), $profile);
    $text = str_replace($hash, 'HASH', implode(', ', $lines));
    echo "$name: ", addcslashes(preg_replace('/\{closure:(?!anonymous:|static:|good:|a=)[^}]*\}/', '{closure}', $text), "\0..\37\177..\377"), "\n";
}
$long = str_repeat('x', 100000);
eval("class __TwigTemplate_" . md5('long') . " { static function doDisplay() {} function getSourceContext() { return new Source('', '$long', ''); }
    function getDebugInfo() { return [" . implode(', ', array_map(fn ($n) => "$n => $n", range(1, 100000))) . "]; } }");
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS, ['mode' => 'tree']);
('__TwigTemplate_' . md5('long'))::doDisplay();
// Closures are named at each call.
$closure = Closure::bind(fn () => 1, null, '__TwigTemplate_' . md5('long'));
foreach (range(1, 1000) as $i) {
    $closure();
}
foreach (written() as $key => $cost) {
    echo substr(preg_replace('/\{closure.*\}/', '{closure}', str_replace(md5('long'), 'HASH', $key)), 0, 50), ' ', $cost['ct'], ' ', strlen($key) < 20000 ? 'short' : 'long', "\n";
}
?>
--EXPECT--
no method: __TwigTemplate_HASH::doDisplay==>__TwigTemplate_HASH::{closure}: 1, main()==>__TwigTemplate_HASH::doDisplay: 1
inherited: __TwigTemplate_HASH::doDisplay==>__TwigTemplate_HASH::{closure}: 1, main()==>__TwigTemplate_HASH::doDisplay: 1
abstract: __TwigTemplate_HASH::doDisplay==>__TwigTemplate_HASH::{closure}: 1, main()==>__TwigTemplate_HASH::doDisplay: 1
one argument: __TwigTemplate_HASH::doDisplay==>__TwigTemplate_HASH::{closure}: 1, main()==>__TwigTemplate_HASH::doDisplay: 1
two arguments, and a call: __TwigTemplate_HASH::doDisplay==>__TwigTemplate_HASH::{closure}: 1, main()==>__TwigTemplate_HASH::doDisplay: 1
numbers: __TwigTemplate_HASH::doDisplay==>__TwigTemplate_HASH::{closure}: 1, main()==>__TwigTemplate_HASH::doDisplay: 1
a variable: __TwigTemplate_HASH::doDisplay==>__TwigTemplate_HASH::{closure}: 1, main()==>__TwigTemplate_HASH::doDisplay: 1
arguments in another order: __TwigTemplate_HASH::doDisplay==>__TwigTemplate_HASH::{closure}: 1, main()==>__TwigTemplate_HASH::doDisplay: 1
unpacked: __TwigTemplate_HASH::doDisplay==>__TwigTemplate_HASH::{closure}: 1, main()==>__TwigTemplate_HASH::doDisplay: 1
nothing: __TwigTemplate_HASH::doDisplay==>__TwigTemplate_HASH::{closure}: 1, main()==>__TwigTemplate_HASH::doDisplay: 1
late: __TwigTemplate_HASH::doDisplay==>__TwigTemplate_HASH::{closure}: 1, main()==>__TwigTemplate_HASH::doDisplay: 1
a generator: __TwigTemplate_HASH::doDisplay==>__TwigTemplate_HASH::{closure}: 1, main()==>__TwigTemplate_HASH::doDisplay: 1
a nested object: __TwigTemplate_HASH::doDisplay==>__TwigTemplate_HASH::{closure}: 1, main()==>__TwigTemplate_HASH::doDisplay: 1
an anonymous class: twig::anonymous==>twig::anonymous::{closure:anonymous:1}: 1, main()==>twig::anonymous: 1
static: twig::static==>twig::static::{closure:static:1}: 1, main()==>twig::static: 1
another file: twig::good==>twig::good::{closure:good:1}: 1, main()==>twig::good: 1, __TwigTemplate_HASH::shared==>__TwigTemplate_HASH::{closure}: 1, main()==>__TwigTemplate_HASH::shared: 1
no lines: twig::good==>twig::good::{closure:good:1}: 1, main()==>twig::good: 1
other lines: twig::good==>twig::good::{closure:good:1}: 1, main()==>twig::good: 1
no array of lines: twig::good==>twig::good::{closure:good:1}: 1, main()==>twig::good: 1
computed lines: twig::good==>twig::good::{closure:good:1}: 1, main()==>twig::good: 1
other bytes: twig::a=>b\000c\377@1==>twig::a=>b\000c\377@1::{closure:a=>b\000c\377@1:1}: 1, main()==>twig::a=>b\000c\377@1: 1
an empty name: __TwigTemplate_HASH::doDisplay==>__TwigTemplate_HASH::{closure}: 1, main()==>__TwigTemplate_HASH::doDisplay: 1
main()==>twig::xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 1 short
main()==>__TwigTemplate_HASH::{closure} 1000 short
main() 1 short
