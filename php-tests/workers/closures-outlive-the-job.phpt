--TEST--
Closures are in every job's profile: of included files, nested ones, in constants, first-class callables, eval
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

$folder = sys_get_temp_dir() . '/xhprof-test-' . bin2hex(random_bytes(8));
mkdir($folder);
$file = "$folder/closures.php";
file_put_contents($file, '<?php
return [
    "plain" => function () { return 1; },
    "nested" => function () { return (function () { return array_map(fn ($x) => $x + 1, [1, 2]); })(); },
    "static" => static fn () => 2,
    "generator" => function () { yield 1; yield 2; },
    "callable" => strrev(...),
    "method" => (new ArrayObject(["a" => 1]))->offsetGet(...),
];
');
// OPcache takes no file that is younger than two seconds.
touch($file, time() - 60);
if (PHP_VERSION_ID >= 80500) {
    file_put_contents("$folder/constant.php", '<?php
    const CALL = static function () { return 1; };
    function with_default(callable $c = static function () { return 2; }) { return $c(); }
    #[Attribute] class Tag { function __construct(public Closure $c) {} }
    #[Tag(static function () { return 3; })] enum Kind { case A; const HOW = static function () { return 4; }; }
    ');
    touch("$folder/constant.php", time() - 60);
    require "$folder/constant.php";
}

function job(string $file): void
{
    foreach (require $file as $name => $call) {
        $result = $call('a');
        $name === 'generator' ? iterator_to_array($result) : $result;
    }
    eval('$f = function () {}; $f();');
    if (PHP_VERSION_ID >= 80500) {
        (CALL)();
        with_default();
        (Kind::HOW)();
        ((new ReflectionClass(Kind::class))->getAttributes()[0]->newInstance()->c)();
    }
}

/** The calls of closures in a profile, and all others. */
function closures(array $profile): string
{
    $count = 0;
    foreach ($profile as $name => $cost) {
        if (preg_match('/==>.*\{closure/', $name)) {
            $count += $cost['ct'];
        }
    }
    return "$count calls of closures, " . array_sum(array_column($profile, 'ct')) . ' calls';
}

for ($i = 0; $i < 3; $i++) {
    job($file);
}
$first = null;
for ($i = 0; $i < 1000; $i++) {
    xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
    job($file);
    $profile = closures(xhprof_disable());
    $first ??= $profile;
    if ($profile !== $first) {
        echo "job $i: $profile, first $first\n";
        break;
    }
    // Now and then a job is not profiled.
    $i % 3 || job($file);
}
array_map(unlink(...), glob("$folder/*"));
rmdir($folder);
$expected = (1 + 4 + 1 + 3 + 1) + (PHP_VERSION_ID >= 80500 ? 4 : 0);
echo strtok($first, ' ') == $expected ? "all\n" : "$expected expected, but $first\n";
?>
--EXPECT--
all
