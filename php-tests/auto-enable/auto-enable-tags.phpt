--TEST--
A profile has the program's tags and what xhprof.capture lists, bounded, and nothing else of the environment
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$directory = make_directory();
putenv('WANTED=wanted value');
putenv('UNWANTED=unwanted value');
$code = '<?php
var_dump(xhprof_tag("route", "first"), xhprof_tag("route", "article_show"));
var_dump(xhprof_tag("long", str_repeat("ä", 600)), xhprof_tag("bytes", "a\xffb"), xhprof_tag("empty", ""), xhprof_tag("binary", str_repeat("\xff", 2000)));
set_error_handler(function ($level, $message) { echo substr($message, 0, 90), "\n"; return true; });
foreach (["", "a.b", "with space", "é", str_repeat("k", 65), "status", "method"] as $key) {
    var_dump(xhprof_tag($key, "refused"));
}
for ($i = 0; $i < 60; $i++) if (!xhprof_tag("many$i", "$i")) echo "refused: many$i\n";
try { xhprof_tag("x"); } catch (ArgumentCountError $e) { echo get_class($e), "\n"; }
try { xhprof_tag("x", []); } catch (TypeError $e) { echo get_class($e), "\n"; }
exit(3);
';
$ended = run_code($code, 'xhprof.auto_enable=1', "xhprof.output_dir=$directory", 'xhprof.capture=WANTED, ABSENT');
echo $ended->output, $ended->errors;
foreach (glob("$directory/*.xhp") as $file) {
    $content = file_get_contents($file);
    foreach (['article_show', 'first', "a\u{fffd}b", str_repeat('ä', 512), str_repeat('ä', 513), str_repeat("\u{fffd}", 341), str_repeat("\u{fffd}", 342), 'env.WANTED', 'wanted value', 'unwanted value', 'ABSENT', 'exit_status', 'many58', 'many59', 'refused'] as $text) {
        echo strlen($text) > 100 ? strlen($text) . ' bytes' : $text, str_contains($content, $text) ? ": yes\n" : ": no\n";
    }
}
remove_directory($directory);
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
xhprof_tag(): a tag's key must be 1 to 64 letters, digits, _ and -
bool(false)
xhprof_tag(): a tag's key must be 1 to 64 letters, digits, _ and -
bool(false)
xhprof_tag(): a tag's key must be 1 to 64 letters, digits, _ and -
bool(false)
xhprof_tag(): a tag's key must be 1 to 64 letters, digits, _ and -
bool(false)
xhprof_tag(): a tag's key must be 1 to 64 letters, digits, _ and -
bool(false)
xhprof_tag(): the tag "status" is set by xhprof itself; choose another key
bool(false)
xhprof_tag(): the tag "method" is set by xhprof itself; choose another key
bool(false)
xhprof_tag(): a profile has 64 tags at most; "many59" is not recorded
refused: many59
ArgumentCountError
TypeError
article_show: yes
first: no
a�b: yes
1024 bytes: yes
1026 bytes: no
1023 bytes: yes
1026 bytes: no
env.WANTED: yes
wanted value: yes
unwanted value: no
ABSENT: no
exit_status: yes
many58: yes
many59: no
refused: no
