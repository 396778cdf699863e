--TEST--
Code that is compiled after xhprof.compensate measured what calls cost is recorded like any other
--EXTENSIONS--
xhprof
--INI--
xhprof.compensate=1
--FILE--
<?php
function nested() {
    xhprof_enable();
    eval('function late() { return array_sum([1, 2]); }');
    for ($i = 0; $i < 3; $i++) late();
    return xhprof_disable();
}
$profile = nested();
foreach (['main()==>late', 'late==>array_sum'] as $edge) {
    echo $edge, ' ', $profile[$edge]['ct'] ?? 0, "\n";
}
// A fatal error afterwards ends all open calls as ever. PHP 8.4 would rather have an exception.
error_reporting(E_ALL & ~E_DEPRECATED);
interrupted();
function interrupted() {
    xhprof_enable(XHPROF_FLAGS_MEMORY);
    register_shutdown_function(function () { echo xhprof_disable()['main()==>fails']['ct'] ?? 0, "\n"; });
    fails();
}
function fails() { trigger_error('over', E_USER_ERROR); }
?>
--EXPECTF--
main()==>late 3
late==>array_sum 3

Fatal error: over in %s on line %d
1
