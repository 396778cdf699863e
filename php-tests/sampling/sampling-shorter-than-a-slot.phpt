--TEST--
A run that is shorter than a slot gives an empty array, not NULL
--EXTENSIONS--
xhprof
--FILE--
<?php
$tries = 0;
do {
    // A slot may begin just then: once in a long time, not every time.
    xhprof_sample_enable();
    $samples = xhprof_sample_disable();
} while ($samples !== [] && ++$tries < 20);
var_dump($samples);
?>
--EXPECT--
array(0) {
}
