--TEST--
What is past a limit keeps no name, a name has a longest length, and the profile says what was cut
--EXTENSIONS--
xhprof
--SKIPIF--
<?php
if (!is_readable('/proc/self/status')) die('skip reads how large the process is');
?>
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$directory = make_directory();
$code = '<?php
function size() { preg_match("/^VmRSS:\s+(\d+)/m", file_get_contents("/proc/self/status"), $match); return (int) $match[1]; }
$padding = str_repeat("x", 1000);
for ($i = 0; $i < 20_000; $i += 500) {
    $functions = "";
    for ($j = $i; $j < $i + 500; $j++) $functions .= "function f{$j}_$padding() {}\n";
    eval($functions);
}
// PHP makes what it needs for a function at its first call.
for ($i = 0; $i < 20_000; $i++) ("f{$i}_$padding")();
$before = size();
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS, ["mode" => "MODE"]);
for ($i = 0; $i < 20_000; $i++) ("f{$i}_$padding")();
$status = xhprof_status();
echo $status["functions"] < 200 ? "few" : $status["functions"], " names, ", $status["truncated"] ? "truncated, " : "whole, ";
$grown = size() - $before;
echo $grown < 8_000 ? "not much larger\n" : "$grown KiB larger\n";
WRITE
';
foreach (['edges' => '["xhprof.max_nodes=100"]', 'tree' => '["xhprof.max_nodes=100"]', 'events' => '["xhprof.max_events_size=64K"]'] as $mode => $settings) {
    $ended = run_code(strtr($code, ['MODE' => $mode, 'WRITE' => 'xhprof_write();']), "xhprof.output_dir=$directory", 'xhprof.output_name=profile', ...json_decode($settings));
    $file = file_get_contents("$directory/profile.xhp");
    echo "$mode: ", $ended->output, $ended->errors, preg_match('/names_left_out(19\d{3})/', $file, $match) ? 'nearly all are counted as left out' : 'not counted', "\n";
}
// Two long names with the same beginning stay two.
$code = '<?php
$long = str_repeat("y", 40_000);
eval("function a$long() {} function a{$long}b() {}");
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
("a$long")(); ("a{$long}b")(); ("a$long")();
foreach (xhprof_disable() as $key => $cost) {
    echo preg_replace(["/y{4000,}/", "/…[0-9a-f]{16}$/"], ["y", "…HASH"], $key), " $cost[ct], ", strlen($key), "\n";
}
';
$ended = run_code($code);
echo $ended->output, $ended->errors;
remove_directory($directory);
?>
--EXPECT--
edges: few names, truncated, not much larger
nearly all are counted as left out
tree: few names, truncated, not much larger
nearly all are counted as left out
events: few names, truncated, not much larger
nearly all are counted as left out
main()==>ay…HASH 2, 16393
main()==>ay…HASH 1, 16393
main() 1, 6
