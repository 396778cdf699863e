--TEST--
With xhprof.run_init, exceptions and exit() through files leave the callers right
--EXTENSIONS--
xhprof
--INI--
xhprof.run_init=1
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function helper() { throw new Exception; }
function leaf() {}
function work() { include __DIR__ . '/../fixtures/calls-helper.php'; }
function ending() { leaf(); print_calls(xhprof_disable()); }

register_shutdown_function('ending');
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
try { work(); } catch (Exception) { leaf(); }
eval('leaf(); exit;');
?>
--EXPECTF--
work==>load::fixtures/calls-helper.php: 1
run_init::fixtures/calls-helper.php==>helper: 1
work==>run_init::fixtures/calls-helper.php: 1
main()==>work: 1
main()==>leaf: 1
main()==>eval::%sinclude-run-init-exit-and-exceptions.php(%d) : eval()'d code: 1
run_init::%sinclude-run-init-exit-and-exceptions.php(%d) : eval()'d code==>leaf: 1
main()==>run_init::%sinclude-run-init-exit-and-exceptions.php(%d) : eval()'d code: 1
ending==>leaf: 1
main()==>ending: 1
main(): 1
