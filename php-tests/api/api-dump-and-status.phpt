--TEST--
xhprof_dump() writes the profile so far, and xhprof_status() says what is going on
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';
require __DIR__ . '/../include/child.php';

function status() { foreach (xhprof_status() as $key => $value) if ($key !== 'engine') echo "$key ", json_encode($value), $key === 'truncated' ? "\n" : ', '; }
function leaf() {}
function dumps($file) { leaf(); var_dump(xhprof_dump($file, 'xhprof')); leaf(); }

$directory = make_directory();
status();
var_dump(@xhprof_dump("$directory/x"));
echo error_get_last()['message'], "\n";
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
leaf();
status();
dumps("$directory/first");
xhprof_pause();
status();
leaf();
var_dump(xhprof_dump("$directory/second", 'xhprof'));
xhprof_resume();
leaf();
var_dump(xhprof_dump("$directory/third"), xhprof_dump("$directory/fourth", 'json'));
exec('mkfifo ' . escapeshellarg("$directory/pipe"));
symlink("$directory/pipe", "$directory/link");
foreach ([["$directory/fifth", 'pdf'], ['/not/there/x', 'native'], ["$directory", 'native'], ["$directory/pipe"], ["$directory/link"]] as $arguments) {
    var_dump(@xhprof_dump(...$arguments));
    echo str_replace($directory, 'DIRECTORY', error_get_last()['message']), "\n";
}
ini_set('open_basedir', $directory);
var_dump(@xhprof_dump('/tmp/xhprof-not-allowed'), str_contains(error_get_last()['message'], 'open_basedir'));
try { xhprof_dump("a\0b"); } catch (ValueError $error) { echo $error->getMessage(), "\n"; }
$profile = xhprof_disable();
foreach (['first', 'second'] as $name) {
    echo "$name:\n";
    print_calls(unserialize(file_get_contents("$directory/$name")));
}
printf("%o %s\n", fileperms("$directory/third") & 0777, json_encode(substr(file_get_contents("$directory/third"), 1, 3)));
echo file_get_contents("$directory/fourth")[0], "\n";
echo "all:\n";
print_calls($profile);
remove_directory($directory);
?>
--EXPECT--
mode "off", automatic false, decision "not profiled: xhprof.auto_enable = 0", paused false, functions 0, nodes 0, compared 0, truncated false
bool(false)
xhprof_dump(): nothing is being recorded, or as events, which are in a file already
mode "edges", automatic false, decision "not profiled: xhprof.auto_enable = 0", paused false, functions 2, nodes 3, compared 0, truncated false
bool(true)
mode "edges", automatic false, decision "not profiled: xhprof.auto_enable = 0", paused true, functions 3, nodes 5, compared 0, truncated false
bool(true)
bool(true)
bool(true)
bool(false)
xhprof_dump(): the format must be native, xhprof or json, not "pdf"
bool(false)
xhprof_dump(): cannot write the profile /not/there/x: No such file or directory (os error 2)
bool(false)
xhprof_dump(): cannot write the profile DIRECTORY: it is not a file
bool(false)
xhprof_dump(): cannot write the profile DIRECTORY/pipe: it is not a file
bool(false)
xhprof_dump(): cannot write the profile DIRECTORY/link: it is not a file
bool(false)
bool(true)
xhprof_dump(): Argument #1 ($file) must not contain any null bytes
first:
main()==>leaf: 1
main()==>status: 1
dumps==>leaf: 1
main()==>dumps: 1
main(): 1
second:
main()==>leaf: 1
main()==>status: 1
dumps==>leaf: 2
main()==>dumps: 1
main(): 1
600 "XHP"
{
all:
main()==>leaf: 2
main()==>status: 1
dumps==>leaf: 2
main()==>dumps: 1
main(): 1
