--TEST--
Closures are told apart in files, and in arrays only if xhprof.closure_names says so
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$directory = make_directory();
mkdir("$directory/shop");
file_put_contents("$directory/shop/cart.php", '<?php
namespace Shop;
class Cart {
    function total() { return array_map(fn ($n) => $n + 1, array_map(function ($n) { return $n; }, [1, 2])); }
}
if (($argv[1] ?? "") === "array") {
    \\xhprof_enable();
    (new Cart)->total();
    foreach (\\xhprof_disable() as $key => $cost) echo str_contains($key, "{closure") ? "$key $cost[ct]\n" : "";
} else {
    (new Cart)->total();
}
');
$show = function (string $text) {
    // Since 8.4 PHP itself names a closure by the function around it.
    echo preg_replace('/\{closure:Shop.Cart::total\(\):\d\}/', 'Shop\\{closure}', $text);
};
$in_file = function (string ...$settings) use ($directory) {
    $ended = run_php('-d', 'xhprof.auto_enable=1', '-d', "xhprof.output_dir=$directory", '-d', 'xhprof.output_format=json',
        '-d', 'xhprof.output_name=out.%s', ...$settings, ...["$directory/shop/cart.php"]);
    echo $ended->output, $ended->errors;
    $text = '';
    foreach (glob("$directory/out*") as $file) {
        foreach (json_decode(file_get_contents($file), true) as $key => $cost) {
            $text .= str_contains($key, '{closure') ? "$key $cost[ct]\n" : '';
        }
        unlink($file);
    }
    return $text;
};
foreach (['auto', '0', '1'] as $names) {
    echo "$names, in a file:\n";
    $show($in_file('-d', "xhprof.closure_names=$names"));
    echo "$names, in an array:\n";
    $show(run_php('-d', "xhprof.closure_names=$names", "$directory/shop/cart.php", 'array')->output);
}
echo "ignored by PHP's name, in a file:\n";
$ignored = PHP_VERSION_ID < 80400 ? 'Shop\\Cart::Shop\\{closure}' : 'Shop\\Cart::{closure:Shop\\Cart::total():4}';
// In quotes, for the parentheses.
$show($in_file('-d', "xhprof.exclude='$ignored'"));
remove_directory("$directory/shop");
remove_directory($directory);
?>
--EXPECT--
auto, in a file:
array_map==>Shop\Cart::{closure:shop/cart.php:4} 4
auto, in an array:
array_map==>Shop\Cart::Shop\{closure} 4
0, in a file:
array_map==>Shop\Cart::Shop\{closure} 4
0, in an array:
array_map==>Shop\Cart::Shop\{closure} 4
1, in a file:
array_map==>Shop\Cart::{closure:shop/cart.php:4} 4
1, in an array:
array_map==>Shop\Cart::{closure:shop/cart.php:4} 4
ignored by PHP's name, in a file:
