--TEST--
phpinfo() names the faults of this PHP that hurt where calls are observed or sampled
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
foreach (['pull request 21910' => [80422, 80507], 'issue 22158' => [80423, 80509]] as $name => [$of84, $of85]) {
    $is_old = $version >= 80400 && $version < $of84 || $version >= 80500 && $version < $of85;
    var_dump(preg_match("/^Fault of PHP => .*php-src $name: /m", $text) === (int) $is_old);
}
?>
--EXPECT--
observer
bool(true)
bool(true)
