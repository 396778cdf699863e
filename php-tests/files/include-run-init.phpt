--TEST--
With xhprof.run_init the top level of a file is a row of its own
--EXTENSIONS--
xhprof
--INI--
xhprof.run_init=1
opcache.optimization_level=0
--FILE--
<?php
// PHP does not run a file that an optimiser has reduced to the return of a constant.
require __DIR__ . '/../include/calls.php';

function helper() {}
function work() { return include __DIR__ . '/../fixtures/includes-another.php'; }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
work();
include __DIR__ . '/../fixtures/returns-array.php';
print_calls(xhprof_disable());
?>
--EXPECT--
work==>load::fixtures/includes-another.php: 1
run_init::fixtures/includes-another.php==>load::fixtures/calls-helper.php: 1
run_init::fixtures/calls-helper.php==>helper: 1
run_init::fixtures/includes-another.php==>run_init::fixtures/calls-helper.php: 1
work==>run_init::fixtures/includes-another.php: 1
main()==>work: 1
main()==>load::fixtures/returns-array.php: 1
main()==>run_init::fixtures/returns-array.php: 1
main(): 1
