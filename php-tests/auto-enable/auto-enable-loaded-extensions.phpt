--TEST--
A profile says which extensions slow down calls, with version and mode, and whether OPcache was on
--EXTENSIONS--
xhprof
--SKIPIF--
<?php
if (ini_get('opcache.enable_cli')) die('skip the test switches OPcache on itself');
foreach (['xdebug', 'pcov'] as $name) {
    if (!is_file(ini_get('extension_dir') . "/$name.so")) die("skip $name is not there");
}
if (PHP_VERSION_ID < 80500 && !is_file(ini_get('extension_dir') . '/opcache.so')) die('skip OPcache is not there');
?>
--FILE--
<?php
require __DIR__ . '/../include/child.php';

/** The tags of a profile of that code, with those settings. */
function tags(string $code, string ...$settings): string
{
    $directory = make_directory();
    $file = "$directory/code.php";
    file_put_contents($file, "<?php $code");
    $arguments = ['-d', 'xhprof.auto_enable=1', '-d', "xhprof.output_dir=$directory"];
    foreach ($settings as $setting) array_push($arguments, '-d', $setting);
    $ended = run_php(...[...$arguments, $file]);
    $bytes = '';
    foreach (glob("$directory/*.xhp") as $profile) $bytes .= file_get_contents($profile);
    remove_directory($directory);
    // A tag is its name, and then its value to the end of the field.
    preg_match('/opcache(on|off)/', $bytes, $opcache);
    preg_match('/loaded([a-z]+ [0-9][^)]*\)(, [a-z]+ [0-9][^)]*\))*)/', $bytes, $loaded);
    $loaded = preg_replace('/ [0-9][0-9A-Za-z.\-]* /', ' VERSION ', $loaded[1] ?? 'nothing');
    return $ended->output . $ended->errors . "OPcache " . ($opcache[1] ?? 'unknown') . ", $loaded\n";
}

// Built in since PHP 8.5.
$opcache = PHP_VERSION_ID < 80500 ? ['zend_extension=opcache'] : [];
echo tags('');
echo tags('', ...$opcache, ...['opcache.enable_cli=1']);
echo tags('', ...$opcache, ...['opcache.enable_cli=0']);
echo tags('', ...$opcache, ...['opcache.enable=0', 'opcache.enable_cli=1']);
echo tags('ini_set("opcache.enable", "0");', ...$opcache, ...['opcache.enable_cli=1']);
putenv('XDEBUG_MODE');
echo tags('', 'zend_extension=xdebug', 'xdebug.mode=develop,gcstats');
echo tags('', 'zend_extension=xdebug', 'xdebug.mode=off');
putenv('XDEBUG_MODE=coverage');
echo tags('', 'zend_extension=xdebug', 'xdebug.mode=develop');
putenv('XDEBUG_MODE=off');
echo tags('', 'zend_extension=xdebug', 'xdebug.mode=develop', 'extension=pcov', 'pcov.enabled=1');
putenv('XDEBUG_MODE');
echo tags('', 'extension=pcov', 'pcov.enabled=0');
echo tags('xhprof_tag("loaded", "mine"); xhprof_tag("opcache", "mine");', 'display_errors=0', 'log_errors=0');
?>
--EXPECT--
OPcache off, nothing
OPcache on, nothing
OPcache off, nothing
OPcache off, nothing
OPcache off, nothing
OPcache off, xdebug VERSION (develop+gcstats)
OPcache off, xdebug VERSION (off)
OPcache off, xdebug VERSION (coverage)
OPcache off, xdebug VERSION (off), pcov VERSION (on)
OPcache off, pcov VERSION (off)
OPcache off, nothing
