--TEST--
A profile with adaptive timing survives exit, fatal errors, pauses and dumps in calls that are not timed
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/include/calls.php';

function leaf($x) { return $x; }
function fails() { static $n = 0; if (++$n === 3000) { nothing_of_that_name(); } }
function ends() { static $n = 0; if (++$n === 2500) { xhprof_pause(); xhprof_resume(); } }

register_shutdown_function(function () {
    for ($i = 0; $i < 100; $i++) { leaf($i); }
    print_calls(matching(xhprof_disable(), '/leaf|fails|ends|main\(\)$/'));
});
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS, ['timing' => 'adaptive']);
for ($i = 0; $i < 2600; $i++) {
    ends();
    leaf($i);
}
$file = sys_get_temp_dir() . '/xhprof-timing-' . getmypid() . '.xhp';
var_dump(xhprof_dump($file));
unlink($file);
while (true) {
    fails();
}
?>
--EXPECTF--
bool(true)
%A
Fatal error: Uncaught Error: Call to undefined function nothing_of_that_name() in %s
Stack trace:
#0 %s(%d): fails()
#1 {main}
  thrown in %s on line %d
main()==>ends: 2600
main()==>leaf: 2600
main()==>fails: 3000
%s==>leaf: 100
main(): 1
