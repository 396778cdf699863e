--TEST--
xhprof.exclude folds functions into their callers by name, class or file, in every mode
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';
require __DIR__ . '/../include/child.php';
$directory = make_directory();
mkdir("$directory/vendor");
file_put_contents("$directory/vendor/library.php", '<?php
namespace Vendor\Deep;
class Box { function open($call) { return $this->inner($call); } private function inner($call) { return \array_map($call, [1, 2]); } }
function helper() { \leaf(); }
');
$code = '<?php
namespace App\Log { class Writer { static function write() { \leaf(); self::more(); } static function more() {} } }
namespace {
function leaf() {}
function again(int $n) { if ($n) { App\Log\Writer::write(); again($n - 1); } }
require $_SERVER["argv"][1];
(new Vendor\Deep\Box)->open(function () { leaf(); });
Vendor\Deep\helper();
again(2);
}
';
$script = "$directory/script.php";
file_put_contents($script, $code);
function show(string $what, string ...$settings): void
{
    global $directory, $script;
    $options = [];
    foreach (['xhprof.auto_enable=1', 'xhprof.output_format=json', 'xhprof.flags=', "xhprof.output_dir=$directory", ...$settings] as $setting) {
        array_push($options, '-d', $setting);
    }
    $ended = run_php(...[...$options, $script, "$directory/vendor/library.php"]);
    echo "$what:\n", $ended->output, $ended->errors;
    foreach (glob("$directory/*.json") as $file) {
        $rows = json_decode(file_get_contents($file), true);
        $calls = [];
        foreach ($rows as $name => $row) {
            $calls[preg_replace(['/\{closure[^}]*\}/', '/xhprof-test-\w+/'], ['{closure}', 'DIR'], $name)] = $row;
        }
        print_calls($calls);
        unlink($file);
    }
}
foreach (['edges', 'tree'] as $mode) {
    show("by file, $mode", "xhprof.mode=$mode", 'xhprof.exclude=vendor/*');
}
show('a file from the root', "xhprof.exclude=\"$directory/vendor/\"");
show('another folder', 'xhprof.exclude="endor/* /vendor/*"', 'xhprof.flags=no_builtins');
show('by name, in any letters', 'xhprof.exclude="app\log\*, vendor\DEEP\box::*, ARRAY_MAP, load::*"');
unlink("$directory/vendor/library.php");
rmdir("$directory/vendor");
remove_directory($directory);
?>
--EXPECT--
by file, edges:
main()==>load::DIR/script.php: 1
{closure}==>leaf: 2
array_map==>{closure}: 2
main()==>array_map: 1
main()==>leaf: 1
App\Log\Writer::write==>leaf: 2
App\Log\Writer::write==>App\Log\Writer::more: 2
again==>App\Log\Writer::write: 1
again@1==>App\Log\Writer::write: 1
again@1==>again@2: 1
again==>again@1: 1
main()==>again: 1
main(): 1
by file, tree:
main()==>load::DIR/script.php: 1
{closure}==>leaf: 2
array_map==>{closure}: 2
main()==>array_map: 1
main()==>leaf: 1
App\Log\Writer::write==>leaf: 2
App\Log\Writer::write==>App\Log\Writer::more: 2
again==>App\Log\Writer::write: 1
again@1==>App\Log\Writer::write: 1
again@1==>again@2: 1
again==>again@1: 1
main()==>again: 1
main(): 1
a file from the root:
main()==>load::DIR/script.php: 1
{closure}==>leaf: 2
array_map==>{closure}: 2
main()==>array_map: 1
main()==>leaf: 1
App\Log\Writer::write==>leaf: 2
App\Log\Writer::write==>App\Log\Writer::more: 2
again==>App\Log\Writer::write: 1
again@1==>App\Log\Writer::write: 1
again@1==>again@2: 1
again==>again@1: 1
main()==>again: 1
main(): 1
another folder:
main()==>load::DIR/script.php: 1
main()==>load::vendor/library.php: 1
{closure}==>leaf: 2
Vendor\Deep\Box::inner==>{closure}: 2
Vendor\Deep\Box::open==>Vendor\Deep\Box::inner: 1
main()==>Vendor\Deep\Box::open: 1
Vendor\Deep\helper==>leaf: 1
main()==>Vendor\Deep\helper: 1
App\Log\Writer::write==>leaf: 2
App\Log\Writer::write==>App\Log\Writer::more: 2
again==>App\Log\Writer::write: 1
again@1==>App\Log\Writer::write: 1
again@1==>again@2: 1
again==>again@1: 1
main()==>again: 1
main(): 1
by name, in any letters:
{closure}==>leaf: 2
main()==>{closure}: 2
Vendor\Deep\helper==>leaf: 1
main()==>Vendor\Deep\helper: 1
again==>leaf: 1
again@1==>leaf: 1
again@1==>again@2: 1
again==>again@1: 1
main()==>again: 1
main(): 1
