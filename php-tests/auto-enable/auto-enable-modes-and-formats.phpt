--TEST--
A tree has the calls that edges have, in every format, and the default is a native file
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';
require __DIR__ . '/../include/child.php';

$code = '<?php
function fib($n) { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }
function twice() { leaf(); leaf(); }
function leaf() { return array_sum([1]); }
fib(7); twice(); leaf();
foreach ((function () { yield leaf(); yield leaf(); })() as $x) { twice(); }
$fiber = new Fiber(function () { leaf(); Fiber::suspend(); fib(3); });
$fiber->start(); leaf(); $fiber->resume();
';
$script = tempnam(sys_get_temp_dir(), 'xhprof-test-');
file_put_contents($script, $code);
$calls = [];
foreach (['edges xhprof', 'tree xhprof', 'edges json', 'tree json', ' '] as $wanted) {
    [$mode, $format] = explode(' ', $wanted);
    $directory = make_directory();
    $settings = ['-d', 'xhprof.auto_enable=1', '-d', "xhprof.output_dir=$directory"];
    if ($mode) array_push($settings, '-d', "xhprof.mode=$mode", '-d', "xhprof.output_format=$format");
    $ended = run_php(...[...$settings, $script]);
    echo $ended->output, $ended->errors;
    [$file] = array_values(array_diff(scandir($directory), ['.', '..']));
    $bytes = file_get_contents("$directory/$file");
    printf("%s: *.%s, mode %o\n", $wanted, pathinfo($file, PATHINFO_EXTENSION), fileperms("$directory/$file") & 0777);
    if ($format) {
        $profile = $format === 'json' ? json_decode($bytes, true) : unserialize($bytes);
        check_shape($profile, ['ct', 'wt', 'cpu', 'mu', 'pmu']);
        $rows = explode("\n", calls_of($profile));
        sort($rows);
        $calls[] = implode("\n", $rows);
    } else {
        var_dump(str_starts_with($bytes, "\x89XHP\r\n\x1A\n"));
        foreach (['fib', 'twice', 'array_sum', $script, PHP_VERSION, PHP_SAPI] as $word) {
            if (!str_contains($bytes, $word)) echo "$word is not in it\n";
        }
    }
    remove_directory($directory);
}
unlink($script);
echo count(array_unique($calls)), " set of calls, ", substr_count($calls[0], 'fib'), " times fib\n";
?>
--EXPECT--
edges xhprof: *.xhprof, mode 600
tree xhprof: *.xhprof, mode 600
edges json: *.json, mode 600
tree json: *.json, mode 600
 : *.xhp, mode 600
bool(true)
1 set of calls, 14 times fib
