--TEST--
A setting of an earlier version in php.ini gives one line in PHP's log, which says what there is instead
--EXTENSIONS--
xhprof
--INI--
log_errors=1
error_log={PWD}/settings-of-earlier-versions.log
xhprof.timing=adaptive
--FILE--
<?php
xhprof_enable();
usleep(0);
$profile = xhprof_disable();
echo implode(' ', array_keys($profile)), "\n";
echo preg_replace('/^\[.*?\] /m', '', file_get_contents(__DIR__ . '/settings-of-earlier-versions.log'));
?>
--CLEAN--
<?php
@unlink(__DIR__ . '/settings-of-earlier-versions.log');
?>
--EXPECT--
main()==>usleep main()==>xhprof_disable main()
xhprof: xhprof.timing has no effect any more: every call is timed; where reading the clock is slow, set xhprof.mode=sample
