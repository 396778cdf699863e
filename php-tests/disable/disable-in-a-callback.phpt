--TEST--
Disable in a callback closes the internal function that called it
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

function compare($a, $b)
{
    global $profile;
    leaf();
    $profile ??= xhprof_disable();
    leaf();
    return $a <=> $b;
}
function replace($match) { global $profile; leaf(); $profile ??= xhprof_disable(); return ''; }
function leaf() {}

$list = [2, 1, 3];
xhprof_enable();
usort($list, 'compare');
print_calls($profile);

echo "\n";
$profile = null;
xhprof_enable();
preg_replace_callback('/./', 'replace', 'abc');
print_calls($profile);
?>
--EXPECT--
compare==>leaf: 1
compare==>xhprof_disable: 1
usort==>compare: 1
main()==>usort: 1
main(): 1

replace==>leaf: 1
replace==>xhprof_disable: 1
preg_replace_callback==>replace: 1
main()==>preg_replace_callback: 1
main(): 1
