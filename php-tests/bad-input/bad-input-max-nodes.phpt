--TEST--
xhprof.max_nodes bounds the rows, and what is past it is charged to [truncated] rows
--EXTENSIONS--
xhprof
--INI--
xhprof.max_nodes=100
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

$code = '';
for ($i = 0; $i < 500; $i++) {
    $code .= "function f$i() { return leaf(); }\n";
}
eval($code);
function leaf() { return 1; }
function all() { for ($i = 0; $i < 500; $i++) { "f$i"(); } }

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
all();
leaf();
$profile = xhprof_disable();
check_shape($profile);
echo count($profile) <= 110 ? "bounded\n" : count($profile) . " rows\n";
echo isset($profile['all==>[truncated]']) ? "says so\n" : "does not say so\n";
echo $profile['all==>f0']['ct'], $profile['f0==>leaf']['ct'], $profile['main()==>all']['ct'], "\n";
$calls = 0;
foreach ($profile as $edge => $cost) {
    $calls += str_starts_with($edge, 'all==>') ? $cost['ct'] : 0;
}
echo "$calls calls from all()\n";
?>
--EXPECT--
bounded
says so
111
500 calls from all()
