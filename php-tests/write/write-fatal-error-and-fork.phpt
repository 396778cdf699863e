--TEST--
A job that ends in a fatal error leaves no file of its own, and its time in the automatic profile; forked processes write their own
--EXTENSIONS--
xhprof
--SKIPIF--
<?php if (!function_exists('pcntl_fork')) die('skip no pcntl to fork with'); ?>
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$fatal = '<?php
ini_set("memory_limit", "32M");
ini_set("display_errors", "0");
function job() { $all = []; while (true) $all[] = str_repeat("x", 100_000); }
function before() {}
xhprof_enable(0, ["mode" => "MODE", "title" => "lost"]);
for ($i = 0; $i < 30_000; $i++) before();
job();
';
$forks = '<?php
function job() { for ($i = 0; $i < 30_000; $i++) leaf(); }
function leaf() {}
xhprof_enable(0, ["mode" => "MODE", "title" => "forked"]);
job();
$pid = pcntl_fork();
job();
$path = xhprof_write();
if ($pid) pcntl_waitpid($pid, $status);
';
foreach (['edges', 'tree', 'events'] as $mode) {
    foreach (['fatal error' => [$fatal, 1], 'fork' => [$forks, 0]] as $what => [$code, $auto_enable]) {
        $directory = make_directory();
        $ended = run_code(strtr($code, ['MODE' => $mode]), "xhprof.auto_enable=$auto_enable", "xhprof.output_dir=$directory", 'log_errors=0');
        echo "$mode, $what: ", $ended->output, $ended->errors;
        $files = array_diff(scandir($directory), ['.', '..']);
        echo count($files), ' ', implode(' ', array_unique(array_map(fn ($name) => strrchr($name, '.'), $files)));
        foreach (['[profiled by the program]', 'lost', 'forked', 'leaf'] as $text) {
            $with = array_filter($files, fn ($name) => str_contains(file_get_contents("$directory/$name"), $text));
            echo ', ', count($with), " with $text";
        }
        echo "\n";
        remove_directory($directory);
    }
}
?>
--EXPECT--
edges, fatal error: 1 .xhp, 1 with [profiled by the program], 0 with lost, 0 with forked, 0 with leaf
edges, fork: 2 .xhp, 0 with [profiled by the program], 0 with lost, 2 with forked, 2 with leaf
tree, fatal error: 1 .xhp, 1 with [profiled by the program], 0 with lost, 0 with forked, 0 with leaf
tree, fork: 2 .xhp, 0 with [profiled by the program], 0 with lost, 2 with forked, 2 with leaf
events, fatal error: 1 .xhp, 1 with [profiled by the program], 0 with lost, 0 with forked, 0 with leaf
events, fork: 2 .xhp, 0 with [profiled by the program], 0 with lost, 2 with forked, 2 with leaf
