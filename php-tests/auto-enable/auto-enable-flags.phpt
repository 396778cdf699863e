--TEST--
xhprof.flags chooses what an automatic profile records
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

foreach (['', 'cpu', 'memory', 'CPU, Memory', 'no_builtins', 'cpu|memory|no_builtins'] as $flags) {
    $directory = make_directory();
    $ended = run_code('<?php array_sum([1]);', 'xhprof.auto_enable=1', 'xhprof.output_format=xhprof', "xhprof.output_dir=$directory", "xhprof.flags=\"$flags\"");
    echo $ended->output, $ended->errors;
    $profile = unserialize(file_get_contents(glob("$directory/*.xhprof")[0]));
    echo "$flags: ", implode(' ', array_keys($profile['main()'])),
        isset($profile['main()==>array_sum']) ? ' with' : ' without', " internal functions\n";
    remove_directory($directory);
}
?>
--EXPECT--
: ct wt with internal functions
cpu: ct wt cpu with internal functions
memory: ct wt mu pmu with internal functions
CPU, Memory: ct wt cpu mu pmu with internal functions
no_builtins: ct wt without internal functions
cpu|memory|no_builtins: ct wt cpu mu pmu without internal functions
