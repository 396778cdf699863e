--TEST--
phpinfo() names a bug of this PHP's JIT that is known to hurt where calls are observed
--EXTENSIONS--
xhprof
opcache
--INI--
opcache.enable_cli=1
opcache.jit=tracing
opcache.jit_buffer_size=16M
xhprof.engine=auto
--FILE--
<?php
ob_start();
(new ReflectionExtension('xhprof'))->info();
$text = ob_get_clean();
echo preg_match('/^Engine => (\w+)$/m', $text, $match) ? $match[1] : 'none', "\n";

$version = PHP_VERSION_ID;
$is_bad = $version >= 80400 && $version < 80423 || $version >= 80500 && $version < 80509;
var_dump(preg_match('/^Known bug => php-src issue 22158: /m', $text) === (int) $is_bad);
?>
--EXPECT--
observer
bool(true)
