--TEST--
A tree, or events, has the line of each call: of recursion, closures, fibers, generators, included files, and below functions that are left out
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

$code = <<<'PHP'
<?php
function leaf() {}
function left_out() { leaf(); }
function down($n) {
    if ($n > 0) {
        down($n - 1);
    }
}
function many() {
    for ($i = 0; $i < 300; $i++) {
        leaf();
    }
    leaf(); leaf();
    left_out();
    array_map('leaf', [1, 2]);
    array_map(function () {
        leaf();
    }, [1, 2, 3]);
}
function each_one() {
    leaf();
    yield 1;
    leaf();
}
class Magic {
    function __call($name, $arguments) {
        leaf();
    }
    function __toString() {
        leaf();
        return '';
    }
}
many();
down(4);
foreach (each_one() as $_) {
    leaf();
}
(new Magic)->any();
echo new Magic;
$fiber = new Fiber(function () {
    leaf();
    Fiber::suspend();
    leaf();
});
$fiber->start();
$fiber->resume();
include getenv('PAGE');
function includes() {
    include getenv('PAGE');
}
includes();
try {
    (function () { throw new Exception; })();
} catch (Exception) {
    leaf();
}
PHP;

/** `caller file:line callee calls`: docs/format.md, S and B. */
function calls_from_lines(string $file): array
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
    $cost = function (string $part, int &$at, int $columns) use ($number) {
        for ($cost = [], $column = 0; $column < 5; $column++) {
            $cost[] = $columns >> $column & 1 ? $number($part, $at) : 0;
        }
        return $cost;
    };
    $symbols = $files = $lines = $calls = [];
    $last = '';
    for ($section = 10; $section < strlen($bytes); $section += 9 + $length) {
        $length = unpack('V', $bytes, $section + 1)[1];
        [$part, $at] = [substr($bytes, $section + 5, $length), 0];
        if ($bytes[$section] === 'S') {
            for ($count = $number($part, $at); $count > 0; $count--) {
                $number($part, $at) >> 1 === 1 && $text($part, $at);
                $number($part, $at);
                $symbols[] = $last = substr($last, 0, $number($part, $at)) . $text($part, $at);
            }
        } elseif ($bytes[$section] === 'B') {
            for ($count = $number($part, $at); $count > 0; $count--) {
                $files[] = basename($text($part, $at));
            }
            $columns = array_map('ord', str_split(substr($part, $at, 3)));
            $at += 3;
            $line = 0;
            for ($count = $number($part, $at); $count > 0; $count--) {
                $of = $number($part, $at);
                $signed = $number($part, $at);
                $line += $signed >> 1 ^ -($signed & 1);
                $lines[] = sprintf('%s %s:%d', $symbols[$number($part, $at)], $files[$of - 1], $line);
                foreach ($columns as $each) {
                    $cost($part, $at, $each);
                }
            }
            $columns = ord($part[$at++]);
            for ($count = $number($part, $at); $count > 0; $count--) {
                $line = $lines[$number($part, $at)];
                $callee = $symbols[$number($part, $at)];
                $calls[] = preg_replace('/\{closure[^ ]*/', 'closure', "$line $callee " . $cost($part, $at, $columns)[0]);
            }
        }
    }
    natsort($calls);
    return [ord($bytes[9]), $calls];
}

/** The version of a file of events, and the files and the number of calls that have lines: docs/format.md, G. */
function lines_of_events(string $file): string
{
    $bytes = file_get_contents($file);
    [$files, $calls] = [[], 0];
    for ($section = 10; $section < strlen($bytes); $section += 9 + $length) {
        $length = unpack('V', $bytes, $section + 1)[1];
        if ($bytes[$section] === 'G') {
            // Fewer than 128 files and short paths, so that each number but the last is a byte.
            for ($at = $section + 6, $left = ord($bytes[$section + 5]); $left > 0; $left--, $at += 1 + ord($bytes[$at])) {
                $files[] = basename(substr($bytes, $at + 1, ord($bytes[$at])));
            }
            $calls += ord($bytes[$at]) & 127 | (ord($bytes[$at]) >> 7) * (ord($bytes[$at + 1]) & 127) << 7;
        }
    }
    return sprintf('version 1.%d, %d calls, files: %s', ord($bytes[9]), $calls, implode(', ', $files) ?: 'none');
}

/** Runs the program; calls $read with the path of its profile. */
function profile_of(string $code, string $mode, string $flags, callable $read): string
{

    $directory = make_directory();
    file_put_contents("$directory/page.php", "<?php\n\nleaf();\ndown(0);\nleft_out();\n");
    file_put_contents("$directory/script.php", $code);
    putenv("PAGE=$directory/page.php");
    $settings = ['xhprof.auto_enable=1', "xhprof.mode=$mode", "xhprof.flags=$flags", 'xhprof.exclude=left_out', "xhprof.output_dir=$directory"];
    $settings = array_merge(...array_map(fn ($setting) => ['-d', $setting], $settings));
    $ended = run_php(...[...$settings, "$directory/script.php"]);
    echo $ended->output, $ended->errors;
    $text = $read(glob("$directory/*.xhp")[0]);
    remove_directory($directory);
    return "$flags: " . str_replace(basename($directory) . '/', '', $text);
}

foreach (['memory lines', 'no_builtins lines', 'memory'] as $flags) {
    echo profile_of($code, 'tree', $flags, function (string $file) {
        [$version, $calls] = calls_from_lines($file);
        $calls = preg_grep('/ (leaf|down|closure|many|each_one) \d+$/', $calls);
        return "version 1.$version\n" . implode("\n", $calls);
    }), "\n\n";
}
foreach (['memory lines', 'no_builtins lines', 'memory'] as $flags) {
    echo profile_of($code, 'events', $flags, 'lines_of_events'), "\n";
}
?>
--EXPECT--
memory lines: version 1.5
Fiber::start script.php:46 closure 1
Magic::__call script.php:27 leaf 1
Magic::__toString script.php:30 leaf 1
closure script.php:17 leaf 3
closure script.php:42 leaf 1
closure script.php:44 leaf 1
down script.php:6 down 4
each_one script.php:21 leaf 1
each_one script.php:23 leaf 1
includes page.php:3 leaf 1
includes page.php:4 down 1
includes page.php:5 leaf 1
main() page.php:3 leaf 1
main() page.php:4 down 1
main() page.php:5 leaf 1
main() script.php:34 many 1
main() script.php:35 down 1
main() script.php:36 each_one 2
main() script.php:37 leaf 1
main() script.php:54 closure 1
main() script.php:56 leaf 1
many script.php:11 leaf 300
many script.php:13 leaf 2
many script.php:14 leaf 1

no_builtins lines: version 1.5
Magic::__call script.php:27 leaf 1
Magic::__toString script.php:30 leaf 1
closure script.php:17 leaf 3
closure script.php:42 leaf 1
closure script.php:44 leaf 1
down script.php:6 down 4
each_one script.php:21 leaf 1
each_one script.php:23 leaf 1
includes page.php:3 leaf 1
includes page.php:4 down 1
includes page.php:5 leaf 1
main() page.php:3 leaf 1
main() page.php:4 down 1
main() page.php:5 leaf 1
main() script.php:34 many 1
main() script.php:35 down 1
main() script.php:36 each_one 2
main() script.php:37 leaf 1
main() script.php:46 closure 1
main() script.php:54 closure 1
main() script.php:56 leaf 1
many script.php:11 leaf 300
many script.php:13 leaf 2
many script.php:14 leaf 1
many script.php:15 leaf 2
many script.php:16 closure 3

memory: version 1.3


memory lines: version 1.6, 350 calls, files: script.php, page.php
no_builtins lines: version 1.6, 341 calls, files: script.php, page.php
memory: version 1.3, 0 calls, files: none
