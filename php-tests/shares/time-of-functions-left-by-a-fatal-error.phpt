--TEST--
Functions that a fatal error left are charged up to it, not with what runs afterwards
--EXTENSIONS--
xhprof
--SKIPIF--
<?php
require __DIR__ . '/../include/emulated.php';
if (is_emulated()) die('skip the emulator takes tens of milliseconds for code that is new');
?>
--CONFLICTS--
all
--FILE--
<?php
require __DIR__ . '/../include/time.php';
require __DIR__ . '/../include/child.php';

$code = '<?php
require ' . var_export(__DIR__ . '/../include/time.php', true) . ';
$stretch = STRETCH;
function a() { b(); }
function b() { spin(10); eval("function spin() {}"); }
function ending() { spin(60); echo json_encode(xhprof_disable()); }
register_shutdown_function("ending");
xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
a();
';
print_shares(function () use ($code) {
    $ended = run_code(strtr($code, ['STRETCH' => $GLOBALS['stretch']]), 'display_errors=0');
    $profile = json_decode($ended->output, true);
    $main = $profile['main()']['wt'];
    return [
        'a' => [$profile['main()==>a']['wt'], $main, 5, 30],
        'b' => [$profile['a==>b']['wt'], $main, 5, 30],
        'ending' => [$profile['main()==>ending']['wt'], $main, 70, 95],
    ];
});
?>
--EXPECT--
a: 5 to 30 %
b: 5 to 30 %
ending: 70 to 95 %
