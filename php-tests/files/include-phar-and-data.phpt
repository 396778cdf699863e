--TEST--
A file in an archive or in a data: URL is loaded under its own name
--EXTENSIONS--
xhprof
phar
--INI--
allow_url_include=1
error_reporting=8191
--FILE--
<?php
require __DIR__ . '/../include/calls.php';

$file = sys_get_temp_dir() . '/xhprof-test-' . getmypid() . '.zip';
$archive = new PharData($file);
$archive['dir/inside.php'] = '<?php function inside() {} inside();';
unset($archive);

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
include "phar://$file/dir/inside.php";
$profile = xhprof_disable();
unlink($file);
print_calls($profile);
?>
--EXPECT--
main()==>load::dir/inside.php: 1
main()==>inside: 1
main(): 1
