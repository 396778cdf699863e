--TEST--
What excluded functions call is shown under the nearest caller that is kept: recursion, generators, fibers, closures
--EXTENSIONS--
xhprof
--INI--
xhprof.exclude="skip*, Hidden::*"
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function leaf() {}
class Hidden
{
    static function numbers() { leaf(); yield 1; leaf(); yield 2; }
    function __invoke() { leaf(); }
    function __call($name, $arguments) { leaf(); }
}
function kept(int $n) { leaf(); if ($n) skipRecursion($n - 1); }
function skipRecursion(int $n) { kept($n); }
function skip_fiber() { leaf(); Fiber::suspend(); kept(0); }
function generators() { foreach (Hidden::numbers() as $number) kept(0); }
function fibers() { $fiber = new Fiber('skip_fiber'); $fiber->start(); leaf(); $fiber->resume(); }
function closures() { $hidden = new Hidden; $hidden(); $hidden->magic(); array_map($hidden, [1]); array_map('skip_fails', [1]); }
function skip_fails() { try { throw new Exception; } catch (Exception) { leaf(); } }

foreach (['generators', 'fibers', 'closures', fn () => kept(2)] as $work) {
    xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
    $work();
    print_calls(preg_replace_key(xhprof_disable()));
    echo "\n";
}
// Beside the option's exact names and patterns.
xhprof_enable(0, ['ignored_functions' => ['closures', 'Array*', 'KEPT', 'leaf']]);
closures();
kept(1);
print_calls(xhprof_disable());

function preg_replace_key(array $rows): array
{
    $renamed = [];
    foreach ($rows as $name => $row) {
        $renamed[preg_replace('/\{closure[^}]*\}/', '{closure}', $name)] = $row;
    }
    return $renamed;
}
?>
--EXPECT--
generators==>leaf: 2
kept==>leaf: 2
generators==>kept: 2
main()==>generators: 1
main(): 1

fibers==>leaf: 2
kept==>leaf: 1
fibers==>kept: 1
main()==>fibers: 1
main(): 1

closures==>leaf: 4
main()==>closures: 1
main(): 1

kept==>leaf: 1
kept@1==>leaf: 1
kept@2==>leaf: 1
kept@1==>kept@2: 1
kept==>kept@1: 1
{closure}==>kept: 1
main()==>{closure}: 1
main(): 1

main()==>Exception::__construct: 1
kept==>kept@1: 1
main()==>kept: 1
main()==>xhprof_disable: 1
main(): 1
