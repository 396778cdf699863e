<?php

/**
 * Many requests in one php-fpm worker, some profiled and some not, with OPcache in
 * several configurations. Each profile must have the calls of its own request, and
 * no others. A worker that samples keeps its timer's thread, which sleeps when the
 * worker does.
 *
 *     php -n fpm.php PHP-FPM EXTENSION
 */

require __DIR__ . '/fpm-server.php';

const APPLICATION = <<<'PHP'
    <?php
    require_once __DIR__ . '/library.php';
    function work() { leaf(); $it = fn () => leaf(); $it(); foreach (numbers() as $n); return (new Thing)->zork(); }
    function leaf() {}
    function numbers() { yield 1; yield 2; }
    if (isset($_GET['before'])) { work(); }
    if (isset($_GET['profile'])) { xhprof_enable(XHPROF_FLAGS_NO_BUILTINS); }
    work();
    $profile = xhprof_disable();
    if (isset($_GET['after'])) { work(); }
    echo getmypid(), "\n";
    foreach ($profile ?? [] as $edge => $cost) { echo preg_replace('/\{closure[^}]*\}/', '{closure}', $edge), ": $cost[ct]\n"; }
    PHP;

const LIBRARY = <<<'PHP'
    <?php
    class Thing { public function __call($name, $arguments) { return $this->answer(); } private function answer() { return 42; } }
    PHP;

const EXPECTED = [
    'Thing::__call==>Thing::answer: 1', 'main(): 1', 'main()==>work: 1', 'work==>Thing::__call: 1', 'work==>leaf: 1',
    'work==>numbers: 3', 'work==>{closure}: 1', '{closure}==>leaf: 1',
];

const SAMPLED = <<<'PHP'
    <?php
    function work($ms) { for ($end = hrtime(true) + 1e6 * $ms; hrtime(true) < $end;); }
    for ($profile = 0; $profile < 2; $profile++) {
        xhprof_sample_enable();
        work(30);
        echo count(array_filter(xhprof_sample_disable(), fn ($it) => str_contains($it, 'work'))), ' ';
    }
    PHP;

/**
 * The requests of a worker that samples, and what is wrong with them: each must have
 * samples, all must use one thread, and it must sleep when no request is there.
 */
function timer_thread(string $engine): array
{
    global $fpm, $folder, $opcache;
    file_put_contents("$folder/sampled.php", SAMPLED);
    $server = new FpmServer($fpm, $folder, array_merge($opcache, ['xhprof.engine' => $engine, 'xhprof.sampling_interval' => '1000']));
    $problems = $threads = [];
    $wakes = function () use (&$threads) {
        preg_match('/^voluntary_ctxt_switches:\s+(\d+)/m', (string) @file_get_contents(array_key_first($threads) . '/status'), $found);
        return $found[1] ?? null;
    };
    $ask = function () use ($server, $folder, &$problems, &$threads) {
        // On a busy machine the thread may not run in time.
        for ($try = 0, $is_right = false; $try < 10 && !$is_right; $try++) {
            $answer = $server->ask("$folder/sampled.php", '');
            $is_right = preg_match('/^[1-9]\d* [1-9]\d* $/', $answer);
        }
        if (!$is_right) {
            $problems[] = "a request has no samples: $answer";
        }
        foreach ($server->workers() as $worker) {
            foreach (glob("/proc/$worker/task/*") as $task) {
                if (trim((string) @file_get_contents("$task/comm")) === 'xhprof-timer') {
                    $threads[$task] = true;
                }
            }
        }
    };
    for ($request = 0; $request < 10; $request++) {
        $ask();
    }
    if (count($threads) !== 1) {
        $problems[] = count($threads) . ' threads instead of one';
    }
    // It wakes up a hundred times more, at most.
    for ($try = 0, $before = false; $try < 50 && $before !== ($now = $wakes()); $try++) {
        $before = $now;
        usleep(100_000);
    }
    if ($now === null || $before !== $now) {
        $problems[] = "the thread of an idle worker goes on to wake up: $before, $now";
    }
    // It is woken again.
    $ask();
    $server->stop(3);
    return [11, $problems];
}

/** A file of 100 functions and 100 methods, which calls them, and where each is: `name` => `file:line`. */
function file_of_functions(string $path, string $letter, int $first_line): array
{
    $code = '<?php ' . str_repeat("\n", $first_line - 1);
    $calls = '';
    for ($number = 0; $number < 100; $number++) {
        $code .= "function {$letter}_$number() { return 1; }\nclass {$letter}_class_$number { static function zork() { return 1; } }\n";
        $calls .= "{$letter}_$number(); {$letter}_class_$number::zork();\n";
        $places["{$letter}_$number"] = "$path:" . ($first_line + 2 * $number);
        $places["{$letter}_class_$number::zork"] = "$path:" . ($first_line + 2 * $number + 1);
    }
    file_put_contents($path, "$code$calls if (isset(\$_GET['reset'])) { opcache_reset(); }");
    // Another time than before, and past: OPcache sees that the file has changed.
    static $time = 1_000_000_000;
    touch($path, ++$time);
    return $places;
}

/** The functions of `file_of_functions()` in a native file. */
function places_in(string $profile): array
{
    $number = function (string $bytes, int &$at): int {
        for ($value = $shift = 0;; $shift += 7) {
            $byte = ord($bytes[$at++]);
            $value |= ($byte & 127) << $shift;
            if ($byte < 128) {
                return $value;
            }
        }
    };
    $text = function (string $bytes, int &$at) use ($number): string {
        $length = $number($bytes, $at);
        $at += $length;
        return substr($bytes, $at - $length, $length);
    };
    $files = $places = [];
    $name = '';
    // docs/format.md: ten bytes, then sections of kind, length, payload and checksum.
    for ($section = 10; $section < strlen($profile); $section += $length + 9) {
        ['kind' => $kind, 'length' => $length] = unpack('akind/Vlength', $profile, $section);
        $symbols = substr($profile, $section + 5, $length);
        for ($at = 0, $count = $kind === 'S' ? $number($symbols, $at) : 0; $count > 0; $count--) {
            $reference = $number($symbols, $at) >> 1;
            if ($reference === 1) {
                $files[] = $text($symbols, $at);
            }
            $file = $reference === 1 ? end($files) : ($files[$reference - 2] ?? null);
            $line = $number($symbols, $at);
            $shared = $number($symbols, $at);
            $name = substr($name, 0, $shared) . $text($symbols, $at);
            if ($file !== null && preg_match('/^[ab]_/', $name)) {
                $places[$name] = "$file:$line";
            }
        }
    }
    return $places;
}

/**
 * Names and places that a worker keeps from request to request, while functions move,
 * have other names at the same addresses, or the same names in other files.
 */
function kept_names(string $engine, array $settings): array
{
    global $fpm, $folder, $opcache;
    $output = "$folder/kept";
    is_dir($output) || mkdir($output, 0777);
    $server = new FpmServer($fpm, $folder, array_merge($opcache, $settings, [
        'xhprof.engine' => $engine, 'xhprof.auto_enable' => '1', 'xhprof.output_dir' => $output, 'opcache.revalidate_freq' => '0',
    ]));
    $problems = [];
    $requests = 0;
    $ask = function (string $path, array $expected, string $query = '') use ($server, $output, &$problems, &$requests) {
        $server->ask($path, $query);
        // The file is written after the answer was sent.
        for ($try = 0; $try < 500 && !($profiles = glob("$output/*.xhp")); $try++) {
            usleep(10_000);
        }
        $found = $profiles ? places_in(file_get_contents($profiles[0])) : [];
        array_map(unlink(...), $profiles);
        ksort($found);
        ksort($expected);
        $requests++;
        if ($found !== $expected) {
            $problems[] = "request $requests: " . json_encode(array_slice(array_diff_assoc($found, $expected), 0, 3)) . ' instead of ' . json_encode(array_slice(array_diff_assoc($expected, $found), 0, 3));
        }
    };
    [$one, $other] = ["$folder/one.php", "$folder/other.php"];
    $places = file_of_functions($one, 'a', 1);
    $ask($one, $places);
    $ask($one, $places);
    $ask($other, file_of_functions($other, 'b', 1));
    $ask($one, $places);
    // The same names in another file, then in the first one again.
    $ask($other, file_of_functions($other, 'a', 1));
    $ask($one, $places, 'reset');
    // Other lines, and other names of the same length.
    for ($round = 0; $round < 4; $round++) {
        $ask($one, $places = file_of_functions($one, 'ab'[$round % 2], 1 + intdiv($round, 2)), $round % 2 ? 'reset' : '');
        $ask($one, $places);
    }
    $server->stop();
    return [$requests, $problems];
}

[, $fpm, $extension] = $argv;
$folder = sys_get_temp_dir() . '/xhprof-fpm-' . getmypid();
mkdir($folder, 0755);
mkdir("$folder/cache", 0777);
file_put_contents("$folder/application.php", APPLICATION);
file_put_contents("$folder/library.php", LIBRARY);
$opcache = [
    'zend_extension' => 'opcache', 'extension_dir' => ini_get('extension_dir'), 'extension' => $extension,
    // Empty and constant functions stay calls, and files as new as these are cached.
    'opcache.optimization_level' => '0x7FFE3FFF', 'opcache.file_update_protection' => '0', 'opcache.jit' => 'off',
];
$file_cache = ['opcache.file_cache' => "$folder/cache"];
$ways = [
    'no OPcache' => ['opcache.enable' => '0'],
    'OPcache' => [],
    'OPcache, a file cache being filled' => $file_cache,
    'OPcache, a file cache that is full' => $file_cache,
    'OPcache, nothing but a file cache' => $file_cache + ['opcache.file_cache_only' => '1'],
    'OPcache, preloading' => ['opcache.preload' => "$folder/library.php", 'opcache.preload_user' => 'root'],
    'OPcache, tracing JIT' => ['opcache.jit' => 'tracing', 'opcache.jit_buffer_size' => '16M'],
    'OPcache, function JIT' => ['opcache.jit' => 'function', 'opcache.jit_buffer_size' => '16M'],
];
$queries = ['', 'profile', 'before', 'profile&before', 'profile&after', '', 'after', 'profile&before&after', 'profile'];
$wrong = $requests = 0;
foreach ($ways as $way => $settings) {
    foreach (['execute', 'observer'] as $engine) {
        if ($engine === 'execute' && str_contains($way, 'JIT')) {
            continue;
        }
        $server = new FpmServer($fpm, $folder, array_merge($opcache, $settings, ['xhprof.engine' => $engine]));
        $workers = [];
        foreach (array_merge($queries, $queries) as $query) {
            $lines = explode("\n", trim($server->ask("$folder/application.php", $query)));
            $workers[array_shift($lines)] = true;
            sort($lines);
            $expected = str_contains($query, 'profile') ? EXPECTED : [];
            sort($expected);
            $requests++;
            if ($lines !== $expected) {
                $wrong++;
                echo "$way, $engine, ?$query: ", implode(', ', array_diff($lines, $expected)), ' instead of ', implode(', ', array_diff($expected, $lines)), "\n";
            }
        }
        $server->stop();
        if (count($workers) !== 1) {
            $wrong++;
            echo "$way, $engine: ", count($workers), " workers instead of one\n", $server->said();
        }
    }
}
foreach (['execute', 'observer', 'off'] as $engine) {
    [$tried, $problems] = timer_thread($engine);
    $requests += $tried;
    $wrong += count($problems);
    foreach ($problems as $problem) {
        echo "sampling, $engine: $problem\n";
    }
}
foreach (['execute', 'observer'] as $engine) {
    foreach (['no OPcache', 'OPcache'] as $way) {
        [$tried, $problems] = kept_names($engine, $ways[$way]);
        $requests += $tried;
        $wrong += count($problems);
        foreach ($problems as $problem) {
            echo "names, $way, $engine: $problem\n";
        }
    }
}
$files = new RecursiveIteratorIterator(new RecursiveDirectoryIterator($folder, FilesystemIterator::SKIP_DOTS), RecursiveIteratorIterator::CHILD_FIRST);
foreach ($files as $file) {
    $file->isDir() ? rmdir($file->getPathname()) : unlink($file->getPathname());
}
rmdir($folder);
echo "$requests requests, $wrong of them wrong\n";
exit($wrong || !$requests ? 1 : 0);
