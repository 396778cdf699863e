--TEST--
A relative xhprof.output_dir that a program sets is that of its working directory then: it is checked and written there
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$top = make_directory();
foreach (['inside', 'inside/profiles', 'outside', 'outside/profiles', 'profiles'] as $name) {
    mkdir("$top/$name");
}
$count = fn () => implode(' ', array_map(
    fn ($name) => "$name: " . count(glob("$top/$name/profiles/*")),
    ['.', 'inside', 'outside'],
));
// Without a profile before, and with one that noted where the request began.
foreach (['', 'xhprof_enable(); xhprof_write();'] as $before) {
    foreach (['xhprof_enable(); chdir("../outside");', 'chdir("../outside"); xhprof_enable();'] as $move) {
        $ended = run_code(<<<PHP
            <?php
            chdir('$top');
            ini_set('xhprof.output_dir', '$top/profiles');
            $before
            chdir('$top/outside');
            ini_set('open_basedir', '$top/inside');
            var_dump(ini_set('xhprof.output_dir', 'profiles'));
            chdir('$top/inside');
            var_dump(ini_set('xhprof.output_dir', 'profiles') !== false, ini_get('xhprof.output_dir'));
            $move
            echo basename(dirname(xhprof_write(), 2)), "\\n";
            PHP, 'display_errors=0', 'log_errors=0');
        echo $ended->output, $ended->errors, $count(), "\n";
    }
}
// The value of php.ini is that of where the request began, also after ini_restore().
chdir("$top/inside");
$ended = run_code('<?php
    chdir("../outside");
    ini_set("xhprof.output_dir", "profiles");
    ini_restore("xhprof.output_dir");
    xhprof_enable();
    echo basename(dirname(xhprof_write(), 2)), "\n";
    ', 'xhprof.output_dir=profiles', 'xhprof.auto_enable=1');
echo $ended->output, $ended->errors, $count(), "\n";
// A path that is too long, and no directory to be in. A thread-safe PHP keeps the path
// of a directory that is gone.
chdir($top);
mkdir('gone');
chdir('gone');
rmdir("$top/gone");
foreach ([str_repeat('x', 5000), PHP_ZTS ? str_repeat('y', 5000) : 'profiles'] as $path) {
    var_dump(@ini_set('xhprof.output_dir', $path));
    echo preg_replace('/^ini_set\(\): /', '', error_get_last()['message'] ?? 'no message'), "\n";
    error_clear_last();
}
foreach (['inside/profiles', 'inside', 'outside/profiles', 'outside', 'profiles', ''] as $name) {
    remove_directory("$top/$name");
}
?>
--EXPECT--
bool(false)
bool(true)
string(8) "profiles"
inside
.: 0 inside: 1 outside: 0
bool(false)
bool(true)
string(8) "profiles"
inside
.: 0 inside: 2 outside: 0
bool(false)
bool(true)
string(8) "profiles"
inside
.: 1 inside: 3 outside: 0
bool(false)
bool(true)
string(8) "profiles"
inside
.: 2 inside: 4 outside: 0
inside
.: 2 inside: 6 outside: 0
bool(false)
xhprof.output_dir cannot be made absolute: the path is too long, or the working directory is gone
bool(false)
xhprof.output_dir cannot be made absolute: the path is too long, or the working directory is gone
