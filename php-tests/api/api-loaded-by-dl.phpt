--TEST--
Loaded by dl(), after code was compiled, the extension traces nothing, says why, and breaks nothing; sampling works
--EXTENSIONS--
xhprof
--SKIPIF--
<?php
if (!preg_match('~extension="?(/\S+\.so)~', getenv('TEST_PHP_EXTRA_ARGS'))) die('skip does not know the file of the extension');
if (PHP_ZTS) die('skip a thread-safe PHP has no dl()');
?>
--FILE--
<?php
preg_match('~extension="?(/\S+\.so)~', getenv('TEST_PHP_EXTRA_ARGS'), $match);
$php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
$file = tempnam(sys_get_temp_dir(), 'xhprof-test-');
// Functions that were compiled and called before have no run-time slot of ours.
file_put_contents($file, '<?php
function older() { return 1; }
class Older { function method() { return older(); } }
(new Older)->method();
dl($argv[1]);
for ($i = 0; $i < 2; $i++) {
    xhprof_enable();
    eval("function newer_$i() { older(); return (new Older)->method(); }");
    "newer_$i"();
    var_dump(xhprof_disable());
}
xhprof_sample_enable();
for ($end = microtime(true) + 0.3; microtime(true) < $end;) older();
var_dump(count(xhprof_sample_disable()) > 0);
');
foreach (['auto', 'execute', 'observer'] as $engine) {
    echo "$engine:\n";
    $command = [$php, '-n', '-d', 'enable_dl=1', '-d', 'extension_dir=' . dirname($match[1]), '-d', "xhprof.engine=$engine", '-d', 'html_errors=0', $file, basename($match[1])];
    exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>&1', $lines, $status);
    echo preg_replace('/ in \S+ on line \d+/', '', implode("\n", array_filter($lines))), "\nstatus $status\n";
    $lines = [];
}
unlink($file);
?>
--EXPECT--
auto:
Warning: xhprof_enable(): nothing is recorded: xhprof was loaded by dl(), after PHP had compiled code; load it in php.ini, by extension=xhprof
NULL
Warning: xhprof_enable(): nothing is recorded: xhprof was loaded by dl(), after PHP had compiled code; load it in php.ini, by extension=xhprof
NULL
bool(true)
status 0
execute:
Warning: xhprof_enable(): nothing is recorded: xhprof was loaded by dl(), after PHP had compiled code; load it in php.ini, by extension=xhprof
NULL
Warning: xhprof_enable(): nothing is recorded: xhprof was loaded by dl(), after PHP had compiled code; load it in php.ini, by extension=xhprof
NULL
bool(true)
status 0
observer:
Warning: xhprof_enable(): nothing is recorded: xhprof was loaded by dl(), after PHP had compiled code; load it in php.ini, by extension=xhprof
NULL
Warning: xhprof_enable(): nothing is recorded: xhprof was loaded by dl(), after PHP had compiled code; load it in php.ini, by extension=xhprof
NULL
bool(true)
status 0
