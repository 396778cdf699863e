--TEST--
With xhprof.closure_names=1 a closure's name has its file and line in arrays, too
--EXTENSIONS--
xhprof
--INI--
xhprof.closure_names=1
--FILE--
<?php
namespace Space;
require __DIR__ . '/../include/calls.php';
class A {
    function make() { return fn () => 1; }
    static function outer() { $f = function () { return (function () { return 2; })(); }; return $f(); }
}
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
(function () {})();
(new A)->make()();
A::outer();
$named = strlen(...);
$named('');
// The folder is that of this test, wherever it is.
$folder = \basename(__DIR__);
\ob_start(fn ($text) => \str_replace("{closure:$folder/", '{closure:', $text));
\print_calls(\xhprof_disable());
?>
--EXPECTF--
main()==>{closure:names-closures-with-their-place.php:9}: 1
main()==>Space\A::make: 1
main()==>Space\A::{closure:names-closures-with-their-place.php:5}: 1
Space\A::{closure:names-closures-with-their-place.php:6}==>Space\A::{closure:names-closures-with-their-place.php:6}@1: 1
Space\A::outer==>Space\A::{closure:names-closures-with-their-place.php:6}: 1
main()==>Space\A::outer: 1
main(): 1
