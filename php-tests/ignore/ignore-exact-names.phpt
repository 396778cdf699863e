--TEST--
Only the exact name is ignored: not part of it, not in other letters, not another class's
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

class One { public static function run() { helper(); } }
class Two extends One {}
class Three { public static function run() { helper(); } }
function run() { helper(); }
function helper() {}
function helper2() {}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS, ['ignored_functions' => ['One::run', 'RUN', 'help', 'helper2 ', '']]);
One::run();
Two::run();
Three::run();
run();
helper2();
print_calls(xhprof_disable());
?>
--EXPECT--
main()==>helper: 2
Three::run==>helper: 1
main()==>Three::run: 1
run==>helper: 1
main()==>run: 1
main()==>helper2: 1
main(): 1
