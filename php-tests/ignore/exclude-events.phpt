--TEST--
Call events have no excluded function, by name or by file: its callees follow its caller
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';
require __DIR__ . '/../include/child.php';
$directory = make_directory();
file_put_contents("$directory/library.inc", '<?php
function in_file(int $n) { kept(); if ($n) in_file($n - 1); by_name(); }
');
file_put_contents("$directory/script.php", '<?php
require __DIR__ . "/library.inc";
function kept() { by_name(); }
function by_name() { leaf(); }
function leaf() {}
function fails() { try { by_exception(); } catch (Exception) { kept(); } }
function by_exception() { kept(); throw new Exception("x"); }
function work() { in_file(2); fails(); }
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS, ["mode" => "events"]);
work();
require $argv[1];
print_calls(xhprof_disable());
');
foreach (['nothing*', 'by_*', '*/library.inc by_*'] as $exclude) {
    $ended = run_php('-d', "xhprof.exclude=\"$exclude\"", '-d', "xhprof.output_dir=$directory", "$directory/script.php", __DIR__ . '/../include/calls.php');
    echo "$exclude:\n", $ended->output, $ended->errors;
}
// An automatic profile as a file: the names of what is left out are not in it.
$names = function (string $exclude) use ($directory): string {
    file_put_contents("$directory/plain.php", '<?php function by_name() { kept(); } function kept() {} by_name();');
    run_php('-d', 'xhprof.auto_enable=1', '-d', 'xhprof.mode=events', '-d', "xhprof.exclude=\"$exclude\"", '-d', "xhprof.output_dir=$directory", "$directory/plain.php");
    [$file] = glob("$directory/*.xhp");
    $content = file_get_contents($file);
    unlink($file);
    return json_encode([str_contains($content, 'by_name'), str_contains($content, 'kept')]);
};
echo $names('nothing*'), ' ', $names('by_*'), "\n";
remove_directory($directory);
?>
--EXPECT--
nothing*:
by_name==>leaf: 8
kept==>by_name: 5
in_file==>kept: 1
in_file@1==>kept: 1
in_file@2==>kept: 1
in_file@2==>by_name: 1
in_file@1==>in_file@2: 1
in_file@1==>by_name: 1
in_file==>in_file@1: 1
in_file==>by_name: 1
work==>in_file: 1
by_exception==>kept: 1
fails==>by_exception: 1
fails==>kept: 1
work==>fails: 1
main()==>work: 1
main()==>load::include/calls.php: 1
main(): 1
by_*:
kept==>leaf: 5
in_file==>kept: 1
in_file@1==>kept: 1
in_file@2==>kept: 1
in_file@2==>leaf: 1
in_file@1==>in_file@2: 1
in_file@1==>leaf: 1
in_file==>in_file@1: 1
in_file==>leaf: 1
work==>in_file: 1
fails==>kept: 2
work==>fails: 1
main()==>work: 1
main()==>load::include/calls.php: 1
main(): 1
*/library.inc by_*:
kept==>leaf: 5
work==>kept: 3
work==>leaf: 3
fails==>kept: 2
work==>fails: 1
main()==>work: 1
main()==>load::include/calls.php: 1
main(): 1
[true,true] [false,true]
