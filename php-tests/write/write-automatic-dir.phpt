--TEST--
xhprof.automatic_dir has automatic profiles alone: what the program writes goes where it goes without the setting
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';
$directory = make_directory();
mkdir("$directory/automatic");
mkdir("$directory/jobs");
$code = '<?php
function job() {}
foreach (["tree", "events"] as $mode) {
    xhprof_enable(0, ["mode" => $mode]);
    job();
    $path = xhprof_write();
    echo preg_replace("/[0-9a-f]{32}/", "ID", substr($path, strlen($argv[1]))), " ", is_file($path) ? "is there" : "is lost", "\n";
}
';
file_put_contents("$directory/script.php", $code);
foreach (['native', 'json'] as $format) {
    foreach (['edges', 'tree', 'events', 'sample'] as $mode) {
        if ($mode === 'events' && $format === 'json') continue;
        $ended = run_php(
            '-d', 'xhprof.auto_enable=1', '-d', "xhprof.mode=$mode", '-d', "xhprof.output_format=$format",
            '-d', "xhprof.automatic_dir=$directory/automatic", '-d', "xhprof.output_dir=$directory/jobs",
            '-d', 'xhprof.output_name=job-%i', '-d', 'xhprof.max_dir_size=1M', "$directory/script.php", $directory,
        );
        echo "$format, $mode:\n", $ended->output, $ended->errors;
        foreach (['automatic', 'jobs'] as $folder) {
            $names = array_diff(scandir("$directory/$folder"), ['.', '..']);
            foreach ($names as $name) {
                if ($folder === 'automatic') {
                    echo preg_replace('/[0-9a-f]{32}/', 'ID', "$folder/$name"), ' ', substr(file_get_contents("$directory/$folder/$name"), 1, 3), "\n";
                }
                unlink("$directory/$folder/$name");
            }
        }
    }
}
// It is read when PHP starts, and programs do not change it.
var_dump(ini_set('xhprof.automatic_dir', $directory));
rmdir("$directory/automatic");
rmdir("$directory/jobs");
remove_directory($directory);
?>
--EXPECT--
native, edges:
/jobs/job-ID.xhp is there
/jobs/job-ID.xhp is there
automatic/ID.script.xhp XHP
native, tree:
/jobs/job-ID.xhp is there
/jobs/job-ID.xhp is there
automatic/ID.script.xhp XHP
native, events:
/jobs/job-ID.xhp is there
/jobs/job-ID.xhp is there
automatic/ID.script.xhp XHP
native, sample:
/jobs/job-ID.xhp is there
/jobs/job-ID.xhp is there
automatic/ID.script.xhp XHP
json, edges:
/jobs/job-ID.json is there
/jobs/job-ID.xhp is there
automatic/ID.script.xhp XHP
json, tree:
/jobs/job-ID.json is there
/jobs/job-ID.xhp is there
automatic/ID.script.xhp XHP
json, sample:
/jobs/job-ID.json is there
/jobs/job-ID.xhp is there
automatic/ID.script.xhp XHP
bool(false)
