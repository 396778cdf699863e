--TEST--
A name that contains the separator has it shortened, so that a row has one separator
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';
require __DIR__ . '/../include/child.php';

$directory = make_directory();
file_put_contents("$directory/a==>b.php", '<?php function from_file() {} from_file(); eval("function from_eval() {} from_eval();");');
file_put_contents("$directory/====>.php", '<?php');

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
include "$directory/a==>b.php";
include "$directory/====>.php";
$profile = xhprof_disable();
remove_directory($directory);
check_shape($profile);
foreach ($profile as $edge => $cost) {
    echo str_replace([$directory, basename($directory)], ['DIR', 'DIR'], $edge), "\n";
}
?>
--EXPECT--
main()==>load::DIR/a=>b.php
main()==>from_file
main()==>eval::DIR/a=>b.php(1) : eval()'d code
main()==>from_eval
main()==>load::DIR/=>.php
main()
