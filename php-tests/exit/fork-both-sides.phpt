--TEST--
After a fork while profiling, the parent and the child each have a right array
--EXTENSIONS--
xhprof
pcntl
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function before() { leaf(); }
function forks() { $child = pcntl_fork(); $child === 0 ? child() : parent($child); leaf(); }
function child() { leaf(); }
function parent($child) { pcntl_waitpid($child, $status); }
function leaf() {}

foreach (['auto', 'monotonic'] as $clock) {
    ini_set('xhprof.clock', $clock);
    $main = getmypid();
    xhprof_enable(XHPROF_FLAGS_NO_BUILTINS | XHPROF_FLAGS_CPU);
    before();
    forks();
    $profile = xhprof_disable();
    check_shape($profile, ['ct', 'wt', 'cpu']);
    echo getmypid() === $main ? "parent\n" : "child\n", calls_of($profile);
    if (getmypid() !== $main) {
        exit;
    }
}
?>
--EXPECT--
child
before==>leaf: 1
main()==>before: 1
child==>leaf: 1
forks==>child: 1
forks==>leaf: 1
main()==>forks: 1
main(): 1
parent
before==>leaf: 1
main()==>before: 1
forks==>parent: 1
forks==>leaf: 1
main()==>forks: 1
main(): 1
child
before==>leaf: 1
main()==>before: 1
child==>leaf: 1
forks==>child: 1
forks==>leaf: 1
main()==>forks: 1
main(): 1
parent
before==>leaf: 1
main()==>before: 1
forks==>parent: 1
forks==>leaf: 1
main()==>forks: 1
main(): 1
