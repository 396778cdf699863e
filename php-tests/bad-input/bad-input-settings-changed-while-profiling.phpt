--TEST--
Settings that change while a profile runs change the next one, not this one
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function helper() {}
function down(int $n) { if ($n > 0) { down($n - 1); } }
function work() { include __DIR__ . '/../fixtures/calls-helper.php'; down(3); }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
ini_set('xhprof.run_init', '1');
ini_set('xhprof.clock', 'monotonic');
ini_set('xhprof.max_depth', '2');
ini_set('xhprof.clock', 'pinned');
work();
print_calls(xhprof_disable());

echo "\n";
ini_set('xhprof.max_depth', '3');
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
print_calls(xhprof_disable());
?>
--EXPECT--
work==>load::fixtures/calls-helper.php: 1
work==>helper: 1
down@2==>down@3: 1
down@1==>down@2: 1
down==>down@1: 1
work==>down: 1
main()==>work: 1
main(): 1

work==>load::fixtures/calls-helper.php: 1
run_init::fixtures/calls-helper.php==>helper: 1
work==>run_init::fixtures/calls-helper.php: 1
down@1==>[truncated]: 1
down==>down@1: 1
work==>down: 1
main()==>work: 1
main(): 1
