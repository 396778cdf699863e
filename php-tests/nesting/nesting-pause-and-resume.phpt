--TEST--
A pause leaves no calls and no time, and a function that returned during it is no caller afterwards
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function leaf() {}
function pauses() { leaf(); xhprof_pause(); leaf(); return 1; }
function resumes() { leaf(); xhprof_resume(); leaf(); }
function both() { leaf(); xhprof_pause(); usleep(200_000); leaf(); xhprof_resume(); leaf(); }
function deep($n) { if ($n) { deep($n - 1); } else { xhprof_pause(); leaf(); } }
function generator() { yield leaf(); xhprof_pause(); yield leaf(); yield leaf(); }

var_dump(xhprof_pause(), xhprof_resume());
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS | XHPROF_FLAGS_CPU | XHPROF_FLAGS_MEMORY);
var_dump(xhprof_resume());
both();
pauses();
var_dump(xhprof_pause());
leaf();
resumes();
leaf();
deep(5);
xhprof_resume();
leaf();
foreach (generator() as $_) { leaf(); }
xhprof_resume();
function in_fiber() { leaf(); xhprof_pause(); Fiber::suspend(); leaf(); xhprof_resume(); leaf(); }
$fiber = new Fiber('in_fiber');
$fiber->start();
leaf();
$fiber->resume();
leaf();
function thrower() { xhprof_pause(); throw new Exception; }
try { thrower(); } catch (Exception) { xhprof_resume(); }
leaf();
$profile = xhprof_disable();
check_shape($profile, ['ct', 'wt', 'cpu', 'mu', 'pmu']);
echo $profile['main()']['wt'] < 150_000 ? "the pause took no time\n" : "the pause took time\n";
print_calls($profile);

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
leaf();
xhprof_pause();
leaf();
print_calls(xhprof_disable());
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
leaf();
print_calls(xhprof_disable());
?>
--EXPECT--
bool(false)
bool(false)
bool(false)
bool(false)
the pause took no time
both==>leaf: 2
main()==>both: 1
pauses==>leaf: 1
main()==>pauses: 1
main()==>leaf: 6
deep@4==>deep@5: 1
deep@3==>deep@4: 1
deep@2==>deep@3: 1
deep@1==>deep@2: 1
deep==>deep@1: 1
main()==>deep: 1
generator==>leaf: 1
main()==>generator: 2
in_fiber==>leaf: 2
main()==>in_fiber: 1
main()==>thrower: 1
main(): 1
main()==>leaf: 1
main(): 1
main()==>leaf: 1
main(): 1
