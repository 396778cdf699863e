--TEST--
A file of call events leaves alone what another process writes, or wrote, under the same name
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$directory = make_directory();
file_put_contents("$directory/same.xhp.partial", 'of another process');
$code = '<?php function f() {} for ($i = 0; $i < 200000; $i++) f();
foreach (glob(ini_get("xhprof.output_dir") . "/*") as $file) echo preg_replace("/[0-9a-f]{32}/", "RUN", basename($file)), "\n";';
$ended = run_code($code, 'xhprof.auto_enable=1', 'xhprof.mode=events', 'xhprof.output_name=same', "xhprof.output_dir=$directory");
echo $ended->output, $ended->errors;
foreach (glob("$directory/*") as $file) {
    $content = file_get_contents($file);
    echo basename($file), ': ', str_starts_with($content, "\x89XHP") ? 'a profile' : $content, "\n";
}
remove_directory($directory);
?>
--EXPECT--
same.RUN.xhp.partial
same.xhp.partial
same.xhp: a profile
same.xhp.partial: of another process
