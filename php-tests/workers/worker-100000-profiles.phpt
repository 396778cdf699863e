--TEST--
A worker that profiles 100,000 requests in one process has the memory of the first ones at the end
--EXTENSIONS--
xhprof
--SKIPIF--
<?php
if (!is_readable('/proc/self/statm')) die('skip no /proc/self/statm to read the process\'s memory from');
require __DIR__ . '/../include/emulated.php';
if (is_emulated()) die('skip the memory of an emulated process is the emulator\'s, too');
?>
--FILE--
<?php
function leaf(int $n) { return strlen(str_repeat('x', $n)); }
function items() { yield leaf(1); yield leaf(2); }
function handle(int $request)
{
    $sum = array_sum(array_map(fn ($n) => leaf($n), [1, 2, 3]));
    foreach (items() as $item) $sum += $item;
    // Code that is new in each request. No closure in it: PHP keeps those of
    // eval() until its end, with us and without.
    return $request % 100 ? $sum : eval("return leaf($sum);");
}
function requests(int $count)
{
    for ($request = 0; $request < $count; $request++) {
        if ($request % 10 === 9) {
            xhprof_sample_enable();
            handle($request);
            xhprof_sample_disable();
        }
        xhprof_enable(XHPROF_FLAGS_CPU | XHPROF_FLAGS_MEMORY, ['ignored_functions' => ['strlen']]);
        handle($request);
        $profile = xhprof_disable();
        if ($profile['main()==>handle']['ct'] !== 1) echo "request $request is not right\n";
    }
}
/** Bytes of the process that are in memory. */
function resident(): int { return (int) explode(' ', file_get_contents('/proc/self/statm'))[1] * 4096; }

// What is made once is made here: tables, the clock, PHP's own caches.
requests(2_000);
gc_collect_cycles();
$resident = resident();
$memory = memory_get_usage();
requests(100_000);
gc_collect_cycles();
$memory = memory_get_usage() - $memory;
echo "PHP memory: $memory bytes more\n";
// 10 bytes a request would be a megabyte; the allocators may keep half of one.
$more = resident() - $resident;
echo 'process: ', $more < 512 * 1024 ? 'no more' : "$more bytes more", "\n";
?>
--EXPECT--
PHP memory: 0 bytes more
process: no more
