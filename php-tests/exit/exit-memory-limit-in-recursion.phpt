--TEST--
The memory limit in deep recursion leaves a right array and a working stack
--EXTENSIONS--
xhprof
--INI--
display_errors=0
memory_limit=32M
xhprof.max_depth=100
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

// The last megabytes at once: PHP needs some of them to call what comes after the error.
function down($n)
{
    $kept = str_repeat('x', memory_get_usage() > 24_000_000 ? 10_000_000 : 1000 + $n);
    down($n + 1);
}
function leaf() {}
function up($n) { if ($n > 0) { up($n - 1); } }
function ending()
{
    // PHP 8.4 leaves the memory as full as it was.
    ini_set('memory_limit', -1);
    leaf();
    up(3);
    $profile = xhprof_disable();
    check_shape($profile);
    print_calls(matching($profile, '/^(?!down)/'));
}

register_shutdown_function('ending');
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
down(1);
?>
--EXPECT--
main()==>down: 1
ending==>leaf: 1
up@2==>up@3: 1
up@1==>up@2: 1
up==>up@1: 1
ending==>up: 1
main()==>ending: 1
main(): 1
