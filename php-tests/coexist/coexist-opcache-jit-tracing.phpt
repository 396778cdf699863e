--TEST--
With the tracing JIT results are unchanged and each call is recorded, at calls of one of many methods too
--EXTENSIONS--
xhprof
opcache
--INI--
opcache.enable_cli=1
opcache.jit=tracing
opcache.jit_buffer_size=16M
opcache.optimization_level=0x7FFE3FFF
xhprof.engine=auto
--FILE--
<?php
require __DIR__ . '/../include/many-methods.php';
?>
--EXPECT--
15000 15000
15000 3000 3000 3000 3000 3000
15000 15000
