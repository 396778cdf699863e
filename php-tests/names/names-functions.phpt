--TEST--
A function is recorded by its name, with its namespace
--EXTENSIONS--
xhprof
--FILE--
<?php
namespace App\Jobs {
    function run() { \helper(); inner(); }
    function inner() {}
}
namespace {
    require __DIR__ . '/../include/calls.php';

    function helper() {}
    function MixedCase() {}

    xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
    App\Jobs\run();
    mixedcase();
    print_calls(xhprof_disable());
}
?>
--EXPECT--
App\Jobs\run==>helper: 1
App\Jobs\run==>App\Jobs\inner: 1
main()==>App\Jobs\run: 1
main()==>MixedCase: 1
main(): 1
