--TEST--
Names are bytes: neither their encoding nor their length changes or stops anything
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

$invalid = "bad_\xff\xfe\x80";
$long = str_repeat('n', 10_000);
$almost = substr($long, 0, -1) . 'm';
eval("function $invalid() { größe(); } function größe() {} function $long() {} function $almost() { $long(); }");

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
$invalid();
$long();
$almost();
$profile = xhprof_disable();
check_shape($profile);
var_dump(array_keys($profile) === [
    "$invalid==>größe",
    "main()==>$invalid",
    "main()==>$long",
    "$almost==>$long",
    "main()==>$almost",
    "main()",
]);
var_dump(unserialize(serialize($profile)) === $profile);
?>
--EXPECT--
bool(true)
bool(true)
