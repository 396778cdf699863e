--TEST--
xhprof_write() ends the profile and writes it as the settings say, or where the program says; xhprof_disable() returns the same array in every mode
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';
require __DIR__ . '/../include/child.php';

function leaf() {}
function job(int $depth = 0) { leaf(); if ($depth < 3) job($depth + 1); }

$directory = make_directory();
ini_set('xhprof.output_dir', $directory);
umask(0);
$arrays = [];
foreach (['edges', 'tree', 'events'] as $mode) {
    $begin = fn () => xhprof_enable(XHPROF_FLAGS_NO_BUILTINS | XHPROF_FLAGS_CPU, ['mode' => $mode]);
    $begin();
    job();
    $profile = xhprof_disable();
    check_shape($profile, ['ct', 'wt', 'cpu']);
    $rows = explode("\n", calls_of($profile));
    sort($rows);
    $arrays[] = implode("\n", $rows);
    echo count(array_diff(scandir($directory), ['.', '..'])), " files after xhprof_disable()\n";

    // By the settings.
    $begin();
    job();
    $path = xhprof_write();
    echo "$mode: ", preg_match("#^$directory/[0-9a-f]{32}\\.write-modes-and-formats\\.xhp$#", $path),
        ' ', substr(file_get_contents($path), 1, 3), ' ', decoct(fileperms($path) & 0777),
        ' ', xhprof_status()['mode'], "\n";
    unlink($path);

    // Where the program says.
    foreach (['xhp', 'xhprof', 'json', 'profile'] as $ending) {
        $begin();
        job();
        $file = "$directory/mine.$ending";
        var_dump(@xhprof_write($file) === $file);
        if (is_file($file)) {
            $content = file_get_contents($file);
            unlink($file);
            echo decoct(fileperms($directory) & 0777), ' ', match ($ending) {
                'xhp', 'profile' => substr($content, 1, 3),
                'xhprof' => unserialize($content)['main()']['ct'],
                'json' => json_decode($content, true)['main()']['ct'],
            }, "\n";
        }
    }
    // A directory, by its name or by a slash at its end; a relative path.
    mkdir("$directory/other");
    chdir($directory);
    foreach (["$directory/other", "$directory/other/", 'other', 'here.xhp'] as $file) {
        $begin();
        $path = xhprof_write($file);
        echo substr(realpath($path), strlen($directory), 7), "\n";
        unlink($path);
    }
    rmdir("$directory/other");
}
echo $arrays[0] === $arrays[1] && $arrays[1] === $arrays[2] ? "the same arrays\n" : print_r($arrays, true);
print_r(array_diff(scandir($directory), ['.', '..']));
echo $arrays[0];
remove_directory($directory);
?>
--EXPECT--
0 files after xhprof_disable()
edges: 1 XHP 600 off
bool(true)
700 XHP
bool(true)
700 1
bool(true)
700 1
bool(true)
700 XHP
/other/
/other/
/other/
/here.x
0 files after xhprof_disable()
tree: 1 XHP 600 off
bool(true)
700 XHP
bool(true)
700 1
bool(true)
700 1
bool(true)
700 XHP
/other/
/other/
/other/
/here.x
0 files after xhprof_disable()
events: 1 XHP 600 off
bool(true)
700 XHP
bool(false)
bool(false)
bool(true)
700 XHP
/other/
/other/
/other/
/here.x
the same arrays
Array
(
)

job==>job@1: 1
job==>leaf: 1
job@1==>job@2: 1
job@1==>leaf: 1
job@2==>job@3: 1
job@2==>leaf: 1
job@3==>leaf: 1
main(): 1
main()==>job: 1
