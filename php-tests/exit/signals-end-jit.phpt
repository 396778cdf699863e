--TEST--
A signal ends a command in code of the JIT at once, and its profile is written
--EXTENSIONS--
xhprof
opcache
--SKIPIF--
<?php if (ini_get('opcache.jit') === false) die('skip this PHP has no JIT');
if (PHP_OS_FAMILY !== 'Linux') die('skip sh and kill'); ?>
--INI--
opcache.enable_cli=1
opcache.jit_buffer_size=16M
opcache.optimization_level=0x7FFE3FFF
xhprof.engine=auto
--FILE--
<?php
require __DIR__ . '/../include/child.php';

foreach (['tracing', 'function'] as $jit) {
    foreach (['no call' => '$i += 2;', 'calls' => '$i = f($i);'] as $what => $code) {
        $folder = make_directory();
        $ended = run_code('<?php
            function f($i) { return $i + 1; }
            function loop() { for ($i = 0; $i >= 0;) { ' . $code . ' } }
            echo opcache_get_status(false)["jit"]["on"] ? "on" : "off";
            proc_open(["sh", "-c", "sleep 0.5; kill -TERM " . getmypid()], [], $pipes);
            loop();
            echo ", it goes on";
            ', "opcache.jit=$jit", 'xhprof.auto_enable=1', "xhprof.output_dir=$folder");
        echo "$jit $ended->output, $what: ", count(glob("$folder/*.xhp")), " profile\n";
        remove_directory($folder);
    }
}
?>
--EXPECT--
tracing on, no call: 1 profile
tracing on, calls: 1 profile
function on, no call: 1 profile
function on, calls: 1 profile
