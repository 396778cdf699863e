--TEST--
Flags of a wrong type give PHP's own TypeError, and nothing is recorded
--EXTENSIONS--
xhprof
--FILE--
<?php
foreach (['abc', [], new stdClass, fopen('php://memory', 'r')] as $flags) {
    try {
        xhprof_enable($flags);
        echo "no error\n";
    } catch (TypeError $error) {
        echo $error->getMessage(), "\n";
    }
    var_dump(xhprof_disable());
}
?>
--EXPECT--
xhprof_enable(): Argument #1 ($flags) must be of type int, string given
NULL
xhprof_enable(): Argument #1 ($flags) must be of type int, array given
NULL
xhprof_enable(): Argument #1 ($flags) must be of type int, stdClass given
NULL
xhprof_enable(): Argument #1 ($flags) must be of type int, resource given
NULL
