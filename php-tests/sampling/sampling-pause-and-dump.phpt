--TEST--
Sampling can be paused, and dumped so far, as tracing can
--EXTENSIONS--
xhprof
pcntl
--INI--
xhprof.sampling_interval=500
--FILE--
<?php
require __DIR__ . '/../include/child.php';
require __DIR__ . '/../include/time.php';

function before() { spin_until_sampled(); }
function during() { spin_cpu(20); }
function after() { spin_until_sampled(); }

$seen = fn (string $text) => implode(' ', array_filter(['before', 'during', 'after'], fn ($name) => str_contains($text, "main()==>$name")));
$dump = function (string $format) use ($seen) {
    $directory = make_directory();
    var_dump(xhprof_dump("$directory/profile", $format));
    $text = file_get_contents("$directory/profile");
    remove_directory($directory);
    echo $format, ': ', $seen($text), "\n";
    return $format === 'xhprof' ? unserialize($text)['main()']['wt'] : 0;
};

var_dump(xhprof_pause(), xhprof_resume());
xhprof_sample_enable();
before();
$dump('json');
var_dump(xhprof_resume(), xhprof_pause(), xhprof_pause(), xhprof_status()['paused']);
$time = $dump('xhprof');
during();
var_dump($dump('xhprof') === $time);
if (($child = pcntl_fork()) === 0) {
    during();
    echo 'child: ', json_encode(xhprof_status()['paused']), ' ', $seen(implode("\n", xhprof_sample_disable())), "\n";
    exit;
}
pcntl_waitpid($child, $status);
var_dump(xhprof_resume(), xhprof_resume(), xhprof_status()['paused']);
after();
var_dump(xhprof_status()['nodes'] > 2);
echo 'all: ', $seen(implode("\n", xhprof_sample_disable())), "\n";

// A child whose first act is to pause has no thread of its parent's to wait for.
xhprof_sample_enable();
if (($child = pcntl_fork()) === 0) {
    $answers = [xhprof_pause(), xhprof_pause(), xhprof_resume(), xhprof_resume()];
    after();
    echo 'child: ', json_encode($answers), ' ', $seen(implode("\n", xhprof_sample_disable())), "\n";
    exit;
}
pcntl_waitpid($child, $status);
xhprof_sample_disable();

// The script's own profile comes between.
putenv('INCLUDE=' . __DIR__ . '/../include');
$directory = make_directory();
$ended = run_code(<<<'PHP'
    <?php
    require getenv('INCLUDE') . '/time.php';
    function before() { spin_until_sampled(); }
    function during() { spin_cpu(20); }
    before();
    xhprof_pause();
    xhprof_enable(); during(); xhprof_disable();
    during();
    echo json_encode(xhprof_status()['paused']), "\n";
    $file = tempnam(sys_get_temp_dir(), 'xhprof');
    xhprof_dump($file, 'json');
    echo implode(' ', array_filter(['before', 'during'], fn ($name) => str_contains(file_get_contents($file), "main()==>$name"))), "\n";
    unlink($file);
    PHP, 'xhprof.auto_enable=1', 'xhprof.mode=sample', 'xhprof.sampling_interval=500', "xhprof.output_dir=$directory");
echo $ended->output, $ended->errors;
remove_directory($directory);
?>
--EXPECT--
bool(false)
bool(false)
bool(true)
json: before
bool(false)
bool(true)
bool(false)
bool(true)
bool(true)
xhprof: before
bool(true)
xhprof: before
bool(true)
child: true before
bool(true)
bool(false)
bool(false)
bool(true)
all: before after
child: [true,false,true,false] after
true
before
