--TEST--
xhprof.rate, match, max_per_minute and trigger choose which scripts are profiled
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$scripts = make_directory();
file_put_contents("$scripts/one.php", '<?php');
function profiles(int $times, string ...$settings): int
{
    global $scripts;
    $directory = make_directory();
    $options = [];
    foreach (["xhprof.output_dir=$directory", ...$settings] as $setting) {
        array_push($options, '-d', $setting);
    }
    for ($i = 0; $i < $times; $i++) {
        $ended = run_php(...[...$options, "$scripts/one.php"]);
        echo $ended->output, preg_replace('/written to \S+/', 'written, ', $ended->errors);
    }
    $count = count(glob("$directory/*.xhp"));
    remove_directory($directory);
    return $count;
}
$always = 'xhprof.auto_enable=1';
foreach (['0', '0.0', '1', '1.0'] as $rate) {
    echo "rate $rate: ", profiles(3, $always, "xhprof.rate=$rate"), "\n";
}
$of_forty = profiles(40, $always, 'xhprof.rate=0.5');
echo 'rate 0.5: ', $of_forty > 0 && $of_forty < 40 ? 'some' : $of_forty, "\n";

foreach ([
    '*', "$scripts/one.php", "$scripts/*", '*/one.php', '*o*e*', "$scripts/two.php,*/one.php", "nothing  $scripts/*", '',
    "$scripts", 'one.php', '*/two.php', '*one.ph', '/*one.php?', '*.php/',
] as $pattern) {
    echo 'match "', str_replace($scripts, 'DIR', $pattern), '": ', profiles(1, $always, "xhprof.match=\"$pattern\""),
        ', not: ', profiles(1, $always, 'xhprof.match="' . preg_replace('/[^ ,]+/', '!$0', $pattern) . '"'), "\n";
}
echo 'both: ', profiles(1, $always, 'xhprof.match="* !*/one.php"'), "\n";

// A minute can begin in between.
for ($try = 0; $try < 3 && ($begun = profiles(6, $always, 'xhprof.max_per_minute=2')) !== 2; $try++);
echo "two a minute: $begun\n";

$trigger = ['xhprof.auto_enable=trigger', 'xhprof.trigger=PROFILE_me1'];
echo 'trigger not there: ', profiles(1, ...$trigger), "\n";
foreach (['1', 'yes', '0', ''] as $value) {
    putenv("PROFILE_me1=$value");
    echo "trigger \"$value\": ", profiles(1, ...$trigger), "\n";
}
putenv('PROFILE_me1=1');
echo 'trigger without a name: ', profiles(1, 'xhprof.auto_enable=trigger'), "\n";
echo 'trigger, switched off: ', profiles(1, $trigger[1]), "\n";
echo 'trigger beside the rules: ', profiles(1, $always, $trigger[1], 'xhprof.rate=0', 'xhprof.match=!*', 'xhprof.min_duration=3600000'), "\n";
remove_directory($scripts);
?>
--EXPECT--
rate 0: 0
rate 0.0: 0
rate 1: 3
rate 1.0: 3
rate 0.5: some
match "*": 1, not: 0
match "DIR/one.php": 1, not: 0
match "DIR/*": 1, not: 0
match "*/one.php": 1, not: 0
match "*o*e*": 1, not: 0
match "DIR/two.php,*/one.php": 1, not: 0
match "nothing  DIR/*": 1, not: 0
match "": 1, not: 1
match "DIR": 0, not: 1
match "one.php": 0, not: 1
match "*/two.php": 0, not: 1
match "*one.ph": 0, not: 1
match "/*one.php?": 0, not: 1
match "*.php/": 0, not: 1
both: 0
two a minute: 2
trigger not there: 0
trigger "1": xhprof: profile written, 
1
trigger "yes": xhprof: profile written, 
1
trigger "0": 0
trigger "": 0
trigger without a name: 0
trigger, switched off: 0
trigger beside the rules: xhprof: profile written, 
1
