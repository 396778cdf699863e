--TEST--
A profile that was asked for on the command line says on standard error where it is
--EXTENSIONS--
xhprof
--SKIPIF--
<?php
require __DIR__ . '/../include/emulated.php';
if (is_emulated()) die('skip in /proc the parent of an emulated process is the emulator');
?>
--FILE--
<?php
require __DIR__ . '/../include/child.php';
$directory = make_directory();
$code = [
    'plain' => 'echo "output\n";',
    'child' => 'passthru(getenv("CHILD")); fwrite(STDERR, "parent\n");',
    'own child' => 'putenv("XHPROF"); putenv("XHPROF_OUTPUT"); passthru("XHPROF=1 " . getenv("CHILD"));',
    'closed' => 'fclose(STDERR); $GLOBALS["file"] = fopen(__DIR__ . "/opened", "w"); fwrite($GLOBALS["file"], "own\n");',
    'fatal' => 'ini_set("log_errors", 0); ini_set("display_errors", 0); nothing();',
];
function show(string $what, array $variables, string ...$settings): void
{
    global $directory, $code;
    file_put_contents("$directory/script.php", '<?php ' . ($code[$what] ?? $code['plain']));
    foreach ($variables as $name => $value) putenv("$name=$value");
    $options = [];
    foreach (["xhprof.output_dir=$directory", 'xhprof.output_name=%s', ...$settings] as $setting) array_push($options, '-d', $setting);
    $ended = run_php(...[...$options, "$directory/script.php"]);
    echo "$what: ", trim($ended->output), "\n", str_replace($directory, 'DIR', $ended->errors);
    if (is_file("$directory/opened")) {
        echo 'the file has: ', file_get_contents("$directory/opened");
        unlink("$directory/opened");
    }
    foreach (array_keys($variables) as $name) putenv($name);
    array_map(unlink(...), glob("$directory/*.xhp*"));
}
file_put_contents("$directory/child.php", '<?php echo "child\n";');
$child = escapeshellarg(getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY) . ' ' . getenv('TEST_PHP_EXTRA_ARGS')
    . " -d xhprof.output_dir=$directory -d xhprof.output_name=%s " . escapeshellarg("$directory/child.php");
show('plain', ['XHPROF' => '1']);
show('events', ['XHPROF' => '1'], 'xhprof.mode=events');
show('output', ['XHPROF' => '1', 'XHPROF_OUTPUT' => "$directory/x.xhp"]);
show('trigger', ['PROFILE' => '1'], 'xhprof.auto_enable=trigger', 'xhprof.trigger=PROFILE');
show('every request', [], 'xhprof.auto_enable=1');
show('fatal', ['XHPROF' => '1']);
show('closed', ['XHPROF' => '1']);
show('child', ['XHPROF' => '1', 'CHILD' => $child]);
show('own child', ['CHILD' => $child]);
remove_directory($directory);
?>
--EXPECT--
plain: output
xhprof: profile written to DIR/script.xhp
events: output
xhprof: profile written to DIR/script.xhp
output: output
xhprof: profile written to DIR/x.xhp
trigger: output
xhprof: profile written to DIR/script.xhp
every request: output
fatal: 
xhprof: profile written to DIR/script.xhp
closed: 
the file has: own
child: child
parent
xhprof: profile written to DIR/script.xhp
own child: child
xhprof: profile written to DIR/child.xhp
