--TEST--
xhprof_status() and the line of xhprof.debug say whether a request is profiled, and by which rule
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';
$directory = make_directory();
file_put_contents("$directory/script.php", '<?php echo xhprof_status()["decision"], "\n";');
function show(array $variables, string ...$settings): void
{
    echo shown($variables, ...$settings);
}
function shown(array $variables, string ...$settings): string
{
    global $directory;
    foreach (['XHPROF', 'PROFILE'] as $name) {
        putenv(isset($variables[$name]) ? "$name=$variables[$name]" : $name);
    }
    $options = [];
    foreach (["xhprof.output_dir=$directory", 'xhprof.debug=1', 'xhprof.output_name=%s', ...$settings] as $setting) {
        array_push($options, '-d', $setting);
    }
    $ended = run_php(...[...$options, "$directory/script.php"]);
    array_map(unlink(...), glob("$directory/*.xhp"));
    return $ended->output . '  ' . str_replace([$directory, "\n"], ['DIR', "\n  "], trim($ended->errors)) . "\n";
}
show([]);
show(['XHPROF' => '0'], 'xhprof.auto_enable=1');
show(['XHPROF' => '1']);
show([], 'xhprof.auto_enable=1');
show([], 'xhprof.auto_enable=1', 'xhprof.mode=events');
show([], 'xhprof.auto_enable=1', 'xhprof.rate=0');
show([], 'xhprof.auto_enable=1', 'xhprof.match=*/bin/*');
show([], 'xhprof.auto_enable=1', 'xhprof.match="!*/bin/*, !*.php"');
show([], 'xhprof.auto_enable=1', 'xhprof.min_duration=3600000');
show([], 'xhprof.auto_enable=1', 'xhprof.min_duration=3600000', 'xhprof.mode=events');
// Once more, if the next minute began in between: it has a limit of its own.
do {
    array_map(unlink(...), glob("$directory/.*.ledger"));
    $minute = intdiv(time(), 60);
    $first = shown([], 'xhprof.auto_enable=1', 'xhprof.max_dir_size=64K', 'xhprof.max_per_minute=1');
    $second = shown([], 'xhprof.auto_enable=1', 'xhprof.max_per_minute=1');
} while (intdiv(time(), 60) !== $minute);
echo $first, $second;
show([], 'xhprof.auto_enable=trigger');
show([], 'xhprof.auto_enable=trigger', 'xhprof.trigger=PROFILE');
show(['PROFILE' => 'x'], 'xhprof.auto_enable=trigger', 'xhprof.trigger=PROFILE', 'xhprof.min_duration=3600000');
show([], 'xhprof.auto_enable=1', 'xhprof.engine=off');
show([], 'xhprof.auto_enable=1', "xhprof.output_dir=$directory/no");
file_put_contents("$directory/large", str_repeat('x', 65536));
array_map(unlink(...), glob("$directory/.*.ledger"));
show([], 'xhprof.auto_enable=1', 'xhprof.max_dir_size=64K');
// Without it there is no line, and none for a request of the next program.
$ended = run_php('-d', 'xhprof.auto_enable=1', '-d', 'xhprof.rate=0', "$directory/script.php");
echo $ended->output, $ended->errors;
array_map(unlink(...), glob("$directory/.*.ledger"));
remove_directory($directory);
?>
--EXPECT--
not profiled: xhprof.auto_enable = 0
  xhprof: DIR/script.php: not profiled: xhprof.auto_enable = 0
not profiled: XHPROF=0
  xhprof: DIR/script.php: not profiled: XHPROF=0
profiled: XHPROF=1
  xhprof: profile written to DIR/script.xhp
  xhprof: DIR/script.php: profiled: XHPROF=1; written to DIR/script.xhp
profiled: xhprof.auto_enable = 1
  xhprof: DIR/script.php: profiled: xhprof.auto_enable = 1; written to DIR/script.xhp
profiled: xhprof.auto_enable = 1
  xhprof: DIR/script.php: profiled: xhprof.auto_enable = 1; written to DIR/script.xhp
not profiled: xhprof.rate
  xhprof: DIR/script.php: not profiled: xhprof.rate
not profiled: xhprof.match
  xhprof: DIR/script.php: not profiled: xhprof.match
not profiled: xhprof.match, by !*.php
  xhprof: DIR/script.php: not profiled: xhprof.match, by !*.php
profiled: xhprof.auto_enable = 1
  xhprof: DIR/script.php: profiled: xhprof.auto_enable = 1; not written: xhprof.min_duration
profiled: xhprof.auto_enable = 1
  xhprof: DIR/script.php: profiled: xhprof.auto_enable = 1; not written: xhprof.min_duration
profiled: xhprof.auto_enable = 1
  xhprof: DIR/script.php: profiled: xhprof.auto_enable = 1; written to DIR/script.xhp
not profiled: xhprof.max_per_minute
  xhprof: DIR/script.php: not profiled: xhprof.max_per_minute
not profiled: xhprof.auto_enable = trigger, but xhprof.trigger is empty
  xhprof: DIR/script.php: not profiled: xhprof.auto_enable = trigger, but xhprof.trigger is empty
not profiled: xhprof.auto_enable = trigger, and the request has no PROFILE
  xhprof: DIR/script.php: not profiled: xhprof.auto_enable = trigger, and the request has no PROFILE
profiled: xhprof.trigger
  xhprof: profile written to DIR/script.xhp
  xhprof: DIR/script.php: profiled: xhprof.trigger; written to DIR/script.xhp
not profiled: xhprof.engine is off
  xhprof: nothing is recorded: xhprof.engine is off
  xhprof: DIR/script.php: not profiled: xhprof.engine is off
profiled: xhprof.auto_enable = 1
  xhprof: cannot write the profile DIR/no/script.xhp: No such file or directory (os error 2)
  xhprof: DIR/script.php: profiled: xhprof.auto_enable = 1; not written: cannot write the profile DIR/no/script.xhp: No such file or directory (os error 2)
profiled: xhprof.auto_enable = 1
  xhprof: a profile was dropped: DIR has reached xhprof.max_dir_size; 1 so far
  xhprof: DIR/script.php: profiled: xhprof.auto_enable = 1; not written: xhprof.max_dir_size
not profiled: xhprof.rate
