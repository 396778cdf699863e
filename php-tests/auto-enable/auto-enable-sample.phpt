--TEST--
With xhprof.mode=sample each format has the functions that took the time, from the first line to the last destructor
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$code = <<<'PHP'
<?php
function spin($ms) { $end = hrtime(true) + $ms * 1e6; while (hrtime(true) < $end); }
function work() { spin(30); usleep(30_000); }
class Last { function __destruct() { spin(30); } }
$last = new Last;
register_shutdown_function(function () { spin(30); });
work();
PHP;
$wanted = [
    'native' => ['work', 'spin', 'usleep', 'Last::__destruct', 'sampling_clock'],
    'xhprof' => ['main()==>work', 'work==>usleep', 'main()==>Last::__destruct', 'main()'],
    'json' => ['main()==>work', 'work==>usleep', 'main()==>Last::__destruct', 'main()'],
];
foreach ($wanted as $format => $words) {
    for ($try = 0; $words && $try < 10; $try++) {
        $directory = make_directory();
        $ended = run_code($code, 'xhprof.auto_enable=1', 'xhprof.mode=sample', 'xhprof.sampling_interval=500',
            'xhprof.sampling_clock=' . ($format === 'native' && $try % 2 ? 'cpu' : 'wall'),
            "xhprof.output_format=$format", "xhprof.output_dir=$directory");
        echo $ended->output, $ended->errors;
        foreach (glob("$directory/*") as $file) {
            $bytes = file_get_contents($file);
            $words = array_filter($words, fn ($word) => !str_contains($bytes, $word));
        }
        remove_directory($directory);
    }
    echo "$format: ", $words ? 'without ' . implode(', ', $words) : 'complete', "\n";
}
?>
--EXPECT--
native: complete
xhprof: complete
json: complete
