--TEST--
An automatic sampling profile yields to the script's own profiles, and goes on after them
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$code = <<<'PHP'
<?php
function spin($ms) { $end = hrtime(true) + $ms * 1e6; while (hrtime(true) < $end); }
function before() { spin(30); }
function inside() { spin(30); }
function after() { spin(30); }
function run() {
before();
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
inside();
echo implode(' ', array_keys(xhprof_disable())), "\n";
xhprof_sample_enable();
inside();
echo count(preg_grep('/^main\(\)==>inside==>spin/', xhprof_sample_disable())) > 0 ? 'sampled' : 'nothing', "\n";
after();
}
run();
PHP;
foreach (['sample', 'tree'] as $mode) {
    for ($try = 0; $try < 10; $try++) {
        $directory = make_directory();
        $ended = run_code($code, 'xhprof.auto_enable=1', "xhprof.mode=$mode", 'xhprof.sampling_interval=1000',
            'xhprof.output_format=json', "xhprof.output_dir=$directory");
        $profile = json_decode(file_get_contents(glob("$directory/*.json")[0]), true);
        remove_directory($directory);
        $is_complete = isset($profile['run==>before'], $profile['run==>after'], $profile['main()==>run'])
            && str_contains($ended->output, 'sampled');
        if ($is_complete) break;
    }
    echo $ended->output, $ended->errors;
    echo "$mode: ", $is_complete ? 'before and after' : 'incomplete',
        isset($profile['run==>inside']) ? ', and inside' : ', not inside', "\n";
}
?>
--EXPECT--
inside==>spin main()==>inside main()
sampled
sample: before and after, not inside
inside==>spin main()==>inside main()
sampled
tree: before and after, not inside
