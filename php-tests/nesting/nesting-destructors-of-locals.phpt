--TEST--
The destructor of a function's variable is called by that function
--EXTENSIONS--
xhprof
--SKIPIF--
<?php if (ini_get('xhprof.engine') === 'observer') die('skip the observer engine: see nesting-destructors-of-locals-observed'); ?>
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class Guard { public function __destruct() { leaf(); } }
function leaf() {}
function work() { $guard = new Guard; leaf(); }
function caller() { work(); }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
caller();
print_calls(xhprof_disable());
?>
--EXPECT--
work==>leaf: 1
Guard::__destruct==>leaf: 1
work==>Guard::__destruct: 1
caller==>work: 1
main()==>caller: 1
main(): 1
