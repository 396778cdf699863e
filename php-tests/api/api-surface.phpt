--TEST--
The extension is called xhprof and has the functions and constants of XHProf, and some of its own
--EXTENSIONS--
xhprof
--FILE--
<?php
var_dump(extension_loaded('xhprof'));
$functions = get_extension_funcs('xhprof');
sort($functions);
echo implode("\n", $functions), "\n";
foreach (get_defined_constants(true)['xhprof'] as $name => $value) {
    echo "$name = ", var_export($value, true), "\n";
}
echo count((new ReflectionExtension('xhprof'))->getClasses()), " classes\n";
echo preg_match('/^\d+\.\d+\.\d+/', phpversion('xhprof')), "\n";
?>
--EXPECT--
bool(true)
xhprof_disable
xhprof_dump
xhprof_enable
xhprof_pause
xhprof_resume
xhprof_sample_disable
xhprof_sample_enable
xhprof_status
xhprof_tag
xhprof_write
XHPROF_FLAGS_NO_BUILTINS = 1
XHPROF_FLAGS_CPU = 2
XHPROF_FLAGS_MEMORY = 4
0 classes
1
