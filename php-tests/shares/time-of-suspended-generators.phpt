--TEST--
The time in which a generator is suspended is not its time
--EXTENSIONS--
xhprof
--CONFLICTS--
all
--FILE--
<?php
require __DIR__ . '/../include/time.php';

function numbers() { spin(5); yield 1; spin(5); yield 2; }
function elsewhere() { spin(40); }
function work() { foreach (numbers() as $n) { elsewhere(); } }

print_shares(function () {
    xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
    work();
    $profile = xhprof_disable();
    // 10 ms against 80.
    return ['numbers' => [$profile['work==>numbers']['wt'], $profile['work==>elsewhere']['wt'], 5, 40]];
});
?>
--EXPECT--
numbers: 5 to 40 %
