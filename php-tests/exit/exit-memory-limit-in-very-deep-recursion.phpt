--TEST--
Endless recursion ends in PHP's own error, and the shutdown function's calls are recorded
--EXTENSIONS--
xhprof
--INI--
display_errors=0
memory_limit=128M
xhprof.max_depth=1000
--SKIPIF--
<?php if (ini_get('opcache.jit') === 'function') die('skip PHP itself is killed by its hard memory limit under the function JIT'); ?>
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

// Large frames, so that the last page of PHP's stack has room for a small one:
// PHP 8.4 keeps the stack as it was, and could not call a shutdown function.
define('MANY', range(1, 1900));
function down($n) { return down($n + 1, ...MANY) + 1; }
function leaf() {}
function ending()
{
    // PHP 8.4 leaves the memory as full as it was.
    ini_set('memory_limit', -1);
    leaf();
    inner();
    $profile = xhprof_disable();
    check_shape($profile);
    print_calls(matching($profile, '/^(?!down)/'));
}
function inner() { leaf(); }

register_shutdown_function('ending');
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
down(1);
?>
--EXPECT--
main()==>down: 1
ending==>leaf: 1
inner==>leaf: 1
ending==>inner: 1
main()==>ending: 1
main(): 1
