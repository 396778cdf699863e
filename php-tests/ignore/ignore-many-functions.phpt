--TEST--
A list of thousands of names ignores each of them
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

$code = '';
$names = [];
for ($i = 0; $i < 3000; $i++) {
    $code .= "function f$i() { kept$i(); } function kept$i() {}\n";
    $names[] = "f$i";
}
eval($code);

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS, ['ignored_functions' => $names]);
foreach ($names as $name) {
    $name();
}
$profile = xhprof_disable();
echo count($profile), ' rows, of them ignored: ', count(matching($profile, '/==>f/')), "\n";
?>
--EXPECT--
3001 rows, of them ignored: 0
