--TEST--
The automatic profile goes on with its own clock after a script's profile with another one: fibers, forks, ends of open functions
--EXTENSIONS--
xhprof
pcntl
--FILE--
<?php
require __DIR__ . '/../include/calls.php';
require __DIR__ . '/../include/child.php';

$code = '<?php
function before() {}
function during() {}
function after() {}
function wait_for($child) { pcntl_waitpid($child, $status); }
function open() {
    ini_set("xhprof.clock", "CLOCK");
    xhprof_enable(BITS | XHPROF_FLAGS_NO_BUILTINS);
    during();
    $fiber = new Fiber(function () { Fiber::suspend(); during(); });
    $fiber->start();
    $own = xhprof_disable();
    $fiber->resume();
    return isset($own["open==>during"]) || isset($own["main()==>during"]);
}
function to_and_fro() {
    $fiber = new Fiber(function () { after(); Fiber::suspend(); after(); });
    $fiber->start();
    after();
    $fiber->resume();
}
before();
echo open() ? "" : "nothing of its own\n";
to_and_fro();
xhprof_pause();
to_and_fro();
$child = pcntl_fork();
if ($child === 0) { to_and_fro(); exit; }
wait_for($child);
xhprof_resume();
after();
';
$owns = [
    ['monotonic', 0],
    ['monotonic', 2],
    ['auto', 6],
    ['tsc', 4],
];
$seen = [];
foreach (['edges', 'tree', 'events'] as $mode) {
    foreach ([['cpu', 'cpu'], ['cpu memory', 'cpu mu pmu']] as [$flags, $metrics]) {
        foreach ($owns as [$clock, $bits]) {
            $directory = make_directory();
            $ended = run_code(
                strtr($code, ['CLOCK' => $clock, 'BITS' => $bits]),
                'xhprof.auto_enable=1',
                "xhprof.mode=$mode",
                "xhprof.flags=no_builtins $flags",
                "xhprof.output_dir=$directory",
                'xhprof.output_format=' . ($mode === 'events' ? 'native' : 'xhprof'),
            );
            if ($ended->output . $ended->errors !== '' || $ended->status !== 0) {
                echo "$mode, $flags, $clock $bits: status $ended->status\n", $ended->output, $ended->errors;
            }
            $files = glob("$directory/*");
            if (count($files) !== 2) {
                echo "$mode, $flags, $clock $bits: ", count($files), " files\n";
            }
            foreach ($mode === 'events' ? [] : $files as $file) {
                $profile = unserialize(file_get_contents($file));
                check_shape($profile, explode(' ', "ct wt $metrics"));
                // Neither 300 years nor more CPU time than there was.
                if ($profile['main()']['cpu'] > 60_000_000 || $profile['main()']['wt'] > 60_000_000) {
                    echo json_encode($profile['main()']), "\n";
                }
                // PHP 8.4 tells closures apart.
                $calls = preg_replace('/\{closure:[^}]*\}/', '{closure}', calls_of(matching($profile, '/after|open|during|wait/')));
                $seen[$calls] = ($seen[$calls] ?? 0) + 1;
            }
            remove_directory($directory);
        }
    }
}
ksort($seen);
print_r($seen);
?>
--EXPECT--
Array
(
    [open==>[profiled by the program]: 1
open==>during: 1
main()==>open: 1
{closure}==>after: 2
to_and_fro==>after: 1
] => 16
    [open==>[profiled by the program]: 1
open==>during: 1
main()==>open: 1
{closure}==>after: 2
to_and_fro==>after: 1
main()==>after: 1
] => 16
)
