--TEST--
Samples have the line of each frame: of callers, of closures, and of the top level of an included file
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$code = <<<'PHP'
<?php
function busy() { for ($end = hrtime(true) + 2e6; hrtime(true) < $end;) { md5('x'); } }
function lines() {
    busy();
    array_map(
        function () {
            busy();
        }, [1]);
    include getenv('PAGE');
    gen()->current();
}
function gen() {
    busy();
    yield 1;
}
for ($i = 0; $i < 10; $i++) { lines(); }
PHP;

/** `function:line` or `function:file:line` of each frame: docs/format.md, S, K and N. */
function lines_in(string $file): array
{
    $bytes = file_get_contents($file);
    $number = function (string $part, int &$at) {
        for ($value = $shift = 0;; $shift += 7) {
            $byte = ord($part[$at++]);
            $value |= ($byte & 0x7F) << $shift;
            if ($byte < 0x80) {
                return $value;
            }
        }
    };
    $text = function (string $part, int &$at) use ($number) {
        $length = $number($part, $at);
        return substr($part, ($at += $length) - $length, $length);
    };
    $symbols = $stacks = $files = $lined = $found = [];
    $last = '';
    for ($section = 10; $section < strlen($bytes); $section += 9 + $length) {
        $length = unpack('V', $bytes, $section + 1)[1];
        [$part, $at] = [substr($bytes, $section + 5, $length), 0];
        switch ($bytes[$section]) {
            case 'S':
                for ($count = $number($part, $at); $count > 0; $count--) {
                    $number($part, $at) >> 1 === 1 && $text($part, $at);
                    $line = $number($part, $at);
                    $last = substr($last, 0, $number($part, $at)) . $text($part, $at);
                    $symbols[] = [$last, $line];
                }
                break;
            case 'K':
                for ($count = $number($part, $at); $count > 0; $count--) {
                    $number($part, $at);
                    $stacks[] = $number($part, $at);
                }
                break;
            case 'N':
                for ($count = $number($part, $at); $count > 0; $count--) {
                    $files[] = basename($text($part, $at));
                }
                for ($count = $number($part, $at); $count > 0; $count--) {
                    $parent = count($lined) + 1 - $number($part, $at);
                    $head = $number($part, $at);
                    $lined[] = $stack = ($parent > 0 ? $lined[$parent - 1] : 0) + ($head >> 1);
                    $of = $head & 1 ? $files[$number($part, $at)] . ':' : '';
                    [$name, $begin] = $symbols[$stacks[$stack]];
                    $signed = $number($part, $at);
                    $line = $begin + ($signed >> 1 ^ -($signed & 1));
                    $line > 0 && $found[] = preg_replace('/^{closure.*/', 'closure', $name) . ":$of$line";
                }
        }
    }
    return [ord($bytes[9]), array_unique($found)];
}

$wanted = ['main():script.php:16', 'lines:4', 'lines:5', 'closure:7', 'lines:page.php:3', 'lines:10', 'gen:13', 'busy:2'];
$version = 0;
for ($try = 0; $wanted && $try < 100; $try++) {
    $directory = make_directory();
    file_put_contents("$directory/page.php", "<?php\n\nbusy();\n");
    file_put_contents("$directory/script.php", $code);
    putenv("PAGE=$directory/page.php");
    $settings = ['xhprof.auto_enable=1', 'xhprof.mode=sample', 'xhprof.sampling_interval=500', "xhprof.output_dir=$directory"];
    $settings = array_merge(...array_map(fn ($setting) => ['-d', $setting], $settings));
    $ended = run_php(...[...$settings, "$directory/script.php"]);
    echo $ended->output, $ended->errors;
    [$version, $found] = lines_in(glob("$directory/*.xhp")[0]);
    $wanted = array_diff($wanted, $found);
    remove_directory($directory);
}
echo "version 1.$version\n", $wanted ? 'without ' . implode(', ', $wanted) . ', but ' . implode(', ', $found) : 'complete', "\n";
?>
--EXPECT--
version 1.4
complete
