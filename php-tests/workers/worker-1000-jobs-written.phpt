--TEST--
A worker that writes a profile for each of 1,000 jobs leaves 1,000 whole files, and needs the memory of the first ones
--EXTENSIONS--
xhprof
--SKIPIF--
<?php if (!is_readable('/proc/self/statm')) die('skip no /proc/self/statm to read the process\'s memory from'); ?>
--FILE--
<?php
require __DIR__ . '/../include/child.php';

function leaf(int $n) { return str_repeat('x', $n); }
function items() { yield leaf(1); yield leaf(2); }
function handle(int $job)
{
    xhprof_tag('route', $job % 2 ? 'odd' : 'even');
    xhprof_tag('job', "job $job");
    foreach (items() as $item) array_map(fn ($n) => leaf($n), [1, 2, 3]);
}
function jobs(int $from, int $to, array $modes)
{
    for ($job = $from; $job < $to; $job++) {
        $mode = $modes[$job % count($modes)];
        xhprof_enable(XHPROF_FLAGS_CPU | XHPROF_FLAGS_MEMORY, ['mode' => $mode, 'title' => "Job $job"]);
        handle($job);
        $path = xhprof_write();
        if (!is_string($path)) echo "job $job was not written\n";
    }
}
/** Bytes of the process that are in memory. */
function resident(): int { return (int) explode(' ', file_get_contents('/proc/self/statm'))[1] * 4096; }
/** Open files. */
function open_files(): int { return count(scandir('/proc/self/fd')); }

foreach ([['edges'], ['tree'], ['events'], ['edges', 'tree', 'events']] as $modes) {
    $directory = make_directory();
    ini_set('xhprof.output_dir', $directory);
    jobs(1000, 1200, $modes);
    gc_collect_cycles();
    [$resident, $memory, $files] = [resident(), memory_get_usage(), open_files()];
    jobs(2000, 3000, $modes);
    gc_collect_cycles();
    $memory = memory_get_usage() - $memory;
    $more = resident() - $resident;
    $files = open_files() - $files;
    echo implode(' ', $modes), ': PHP memory: ', $memory > 0 ? "$memory bytes more" : 'no more', '; process: ', $more < 512 * 1024 ? 'no more' : "$more bytes more", "; $files files more open\n";
    $seen = [];
    foreach (array_diff(scandir($directory), ['.', '..']) as $name) {
        $content = file_get_contents("$directory/$name");
        if (!preg_match('/^[0-9a-f]{32}\.worker-1000-jobs-written\.xhp$/', $name)) echo "wrong name $name\n";
        if (!str_starts_with($content, "\x89XHP\r\n\x1A\n")) echo "$name is no profile\n";
        // Its own title and tags, once each, and the functions of its own job.
        if (preg_match('/Job (\d{4})/', $content, $match) && str_contains($content, "job $match[1]") && str_contains($content, $match[1] % 2 ? 'odd' : 'even')
            && str_contains($content, 'handle') && str_contains($content, 'str_repeat')) {
            $seen[$match[1]] = true;
        }
    }
    echo count($seen), " whole files\n";
    remove_directory($directory);
}
?>
--EXPECT--
edges: PHP memory: no more; process: no more; 0 files more open
1200 whole files
tree: PHP memory: no more; process: no more; 0 files more open
1200 whole files
events: PHP memory: no more; process: no more; 0 files more open
1200 whole files
edges tree events: PHP memory: no more; process: no more; 0 files more open
1200 whole files
