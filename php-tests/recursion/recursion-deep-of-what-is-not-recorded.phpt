--TEST--
Deep recursion of ignored functions and of files gives the program's result, in time that grows with its calls
--EXTENSIONS--
xhprof
--INI--
memory_limit=1G
--FILE--
<?php
require __DIR__ . '/../include/calls.php';
require __DIR__ . '/../include/time.php';

function down(int $n) { leaf(); return $n > 0 ? 1 + down($n - 1) : 1; }
function leaf() {}

$file = tempnam(sys_get_temp_dir(), 'xhprof-test-');
file_put_contents($file, '<?php return --$n > 0 ? 1 + include __FILE__ : 1;');

$begin = cpu_us();
xhprof_enable(0, ['ignored_functions' => ['down', "load::$file", 'load::' . basename(dirname($file)) . '/' . basename($file)]]);
echo down(100_000), "\n";
$n = 60_000;
echo include $file, "\n";
leaf();
$rows = xhprof_disable();
unlink($file);
echo cpu_us() - $begin < 20e6 ? "in time\n" : "slow\n";
check_shape($rows);
echo isset($rows['main()==>leaf']) ? "leaf\n" : '';
?>
--EXPECT--
100001
60000
in time
leaf
