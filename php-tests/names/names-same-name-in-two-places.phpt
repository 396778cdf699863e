--TEST--
Functions of one name in different classes, traits and namespaces are told apart
--EXTENSIONS--
xhprof
--FILE--
<?php
namespace One { function run() {} class Job { function run() { run(); } } }
namespace Two { function run() {} class Job { function run() { run(); } } }
namespace {
    require __DIR__ . '/../include/calls.php';

    function run() {}

    xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
    run();
    One\run();
    (new One\Job)->run();
    (new Two\Job)->run();
    (new Two\Job)->run();
    print_calls(xhprof_disable());
}
?>
--EXPECT--
main()==>run: 1
main()==>One\run: 1
One\Job::run==>One\run: 1
main()==>One\Job::run: 1
Two\Job::run==>Two\run: 2
main()==>Two\Job::run: 2
main(): 1
