--TEST--
With a limit that is wrong in php.ini no request is profiled by rule, and those that ask for it are
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$limits = ['xhprof.rate=1%', 'xhprof.max_per_minute=ten', 'xhprof.max_dir_size=1 TB', 'xhprof.max_events_size=much', 'xhprof.min_duration=2s'];
$others = ['xhprof.mode=bush', 'xhprof.debug=maybe'];
foreach ([...$limits, ...$others] as $setting) {
    $directory = make_directory();
    $settings = ['display_startup_errors=1', 'display_errors=1', 'xhprof.auto_enable=1', "xhprof.output_dir=$directory", str_replace('=', '="', $setting) . '"'];
    $ended = run_code('<?php', ...$settings);
    $by_rule = count(glob("$directory/*.xhp"));
    putenv('XHPROF=1');
    run_code('<?php', ...$settings);
    putenv('XHPROF');
    $told = str_contains($ended->output, 'until it is, no request is profiled that does not ask for it');
    echo "$setting: $by_rule by rule, ", count(glob("$directory/*.xhp")) - $by_rule, ' asked for, ', $told ? 'told' : 'not told', "\n";
    remove_directory($directory);
}
?>
--EXPECT--
xhprof.rate=1%: 0 by rule, 1 asked for, told
xhprof.max_per_minute=ten: 0 by rule, 1 asked for, told
xhprof.max_dir_size=1 TB: 0 by rule, 1 asked for, told
xhprof.max_events_size=much: 0 by rule, 1 asked for, told
xhprof.min_duration=2s: 0 by rule, 1 asked for, told
xhprof.mode=bush: 1 by rule, 1 asked for, not told
xhprof.debug=maybe: 1 by rule, 1 asked for, not told
