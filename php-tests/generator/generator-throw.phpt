--TEST--
Throwing into a generator resumes it, and an exception out of one closes it
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function patient() { try { yield 1; } catch (Exception) { handled(); yield 2; } }
function failing() { yield 1; throw new Exception; }
function handled() {}
function after() {}

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
$patient = patient();
$patient->current();
$patient->throw(new Exception);
after();
try { foreach (failing() as $n); } catch (Exception) { after(); }
// PHP runs a fresh generator to its first yield before it throws there.
$fresh = patient();
$fresh->throw(new Exception);
print_calls(xhprof_disable());
?>
--EXPECT--
main()==>patient: 4
patient==>handled: 2
main()==>after: 2
main()==>failing: 2
main(): 1
