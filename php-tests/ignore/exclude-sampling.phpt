--TEST--
Samples have no excluded function, by name or by file, and their time is their caller's
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';
$directory = make_directory();
file_put_contents("$directory/busy.inc", '<?php
function in_file($until) { while (hrtime(true) < $until) kept($until); }
');
file_put_contents("$directory/script.php", '<?php
require __DIR__ . "/busy.inc";
function work() { by_name(hrtime(true) + 250_000_000); in_file(hrtime(true) + 250_000_000); }
function by_name($until) { while (hrtime(true) < $until) kept($until); }
function kept($until) { for ($i = 0; $i < 1000 && hrtime(true) < $until; $i++); }
xhprof_sample_enable();
work();
foreach (xhprof_sample_disable() as $stack) {
    foreach (explode("==>", $stack) as $name) $names[$name] = true;
}
ksort($names);
echo implode(" ", array_diff(array_keys($names), ["hrtime", "main()", "kept", "xhprof_sample_disable"])), "\n";
');
foreach (['nothing*', 'by_n*', 'busy.inc/', '*/*.inc', 'by_* *.inc/ */busy.inc'] as $exclude) {
    $ended = run_php('-d', 'xhprof.sampling_interval=1000', '-d', "xhprof.exclude=\"$exclude\"", "$directory/script.php");
    echo "$exclude: ", $ended->output, $ended->errors;
}
remove_directory($directory);
?>
--EXPECT--
nothing*: by_name in_file work
by_n*: in_file work
busy.inc/: by_name in_file work
*/*.inc: by_name work
by_* *.inc/ */busy.inc: work
