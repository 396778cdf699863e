--TEST--
Property hooks are in every profile under the tracing JIT
--EXTENSIONS--
xhprof
opcache
--SKIPIF--
<?php if (PHP_VERSION_ID < 80400) die('skip property hooks exist since PHP 8.4'); ?>
--INI--
opcache.enable=1
opcache.enable_cli=1
opcache.file_update_protection=0
opcache.optimization_level=0x7FFE3FFF
opcache.jit=tracing
opcache.jit_buffer_size=32M
xhprof.engine=auto
--FILE--
<?php
require __DIR__ . '/../include/property-hooks.php';
?>
--EXPECT--
1000 jobs
a hook's second call in main()
a hook that was paused
a hook in a generator and in a closure
