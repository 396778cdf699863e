--TEST--
A thousand profiles at different depths each have exactly their own calls
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function down(int $n, int $restart_at) {
    if ($n === $restart_at) { check(xhprof_disable()); xhprof_enable(XHPROF_FLAGS_NO_BUILTINS); }
    leaf();
    if ($n > 0) { down($n - 1, $restart_at); }
    leaf();
}
function leaf() {}
function check(?array $profile) { check_shape($profile); }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS, ['ignored_functions' => 'check']);
for ($i = 0; $i < 1000; $i++) {
    down(9, $i % 10);
}
check_shape(xhprof_disable());

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
down(4, 1);
print_calls(xhprof_disable());
?>
--EXPECT--
main()==>leaf: 5
down==>leaf: 2
main()==>down: 1
main(): 1
