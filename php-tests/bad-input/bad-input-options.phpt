--TEST--
Options of a wrong type give PHP's own TypeError, and nothing is recorded
--EXTENSIONS--
xhprof
--FILE--
<?php
foreach ([null, 'main()', 7, 1.5, true, new ArrayObject, fopen('php://memory', 'r')] as $options) {
    try {
        xhprof_enable(0, $options);
        echo "no error\n";
    } catch (TypeError $error) {
        echo $error->getMessage(), "\n";
    }
    var_dump(xhprof_disable());
}
?>
--EXPECTF--
xhprof_enable(): Argument #2 ($options) must be of type array, null given
NULL
xhprof_enable(): Argument #2 ($options) must be of type array, string given
NULL
xhprof_enable(): Argument #2 ($options) must be of type array, int given
NULL
xhprof_enable(): Argument #2 ($options) must be of type array, float given
NULL
xhprof_enable(): Argument #2 ($options) must be of type array, %rtrue|bool%r given
NULL
xhprof_enable(): Argument #2 ($options) must be of type array, ArrayObject given
NULL
xhprof_enable(): Argument #2 ($options) must be of type array, resource given
NULL
