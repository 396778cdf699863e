--TEST--
Property hooks are in every profile, also if they were called before it
--EXTENSIONS--
xhprof
--SKIPIF--
<?php if (PHP_VERSION_ID < 80400) die('skip property hooks exist since PHP 8.4'); ?>
--FILE--
<?php
require __DIR__ . '/../include/property-hooks.php';
?>
--EXPECT--
1000 jobs
a hook's second call in main()
a hook that was paused
a hook in a generator and in a closure
