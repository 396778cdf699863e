<?php

/**
 * `xhprof attach` on commands: shares beside those of the extension's sampler, stacks that can be, all formats, errors.
 *
 *     php -n check.php PHP PROGRAM EXTENSION|- [SECONDS]
 */

require __DIR__ . '/tools.php';

[, $php, $program, $extension] = $argv;
$seconds = (float) ($argv[4] ?? 4);

/** Self shares by function, in percent, of a profile. */
function shares(string $file): array
{
    [$json] = xhprof('report', $file, '--json', '--no-hints');
    $functions = json_decode($json, true)['functions'] ?? [];
    $own = array_map(fn ($function) => $function['self']['wall_ns'], array_column($functions, null, 'name'));
    return array_map(fn ($self) => $self * 100 / (array_sum($own) ?: 1), $own);
}

// The shares that the extension's sampler has in the same run.
file_put_contents("$folder/shares.php", <<<'PHP'
    <?php
    class Work { public function spin(float $ms): void { for ($end = hrtime(true) + 1e6 * $ms; hrtime(true) < $end;) { for ($i = 0, $x = 1; $i < 2000; $i++) { $x = ($x * 31 + $i) & 0xffff; } } } }
    function generator(Work $work) { $work->spin(3); yield 1; }
    function hashes(string $text, float $ms): void { for ($end = hrtime(true) + 1e6 * $ms; hrtime(true) < $end;) { md5($text); } }
    $work = new Work;
    $hashed = str_repeat('x', 50_000);
    for ($end = hrtime(true) + 1e9 * (float) $argv[1]; hrtime(true) < $end;) {
        (function () use ($work) { $work->spin(5); })();
        foreach (generator($work) as $one);
        array_map(function ($ms) use ($work) { $work->spin($ms); }, [2]);
        hashes($hashed, 4);
        (new Fiber(function () use ($work) { $work->spin(2); }))->start();
    }
    echo "the end\n";
    exit(7);
    PHP);
if ($extension !== '-') {
    $command = [$php, '-n', '-d', "extension=$extension", '-d', 'xhprof.auto_enable=1', '-d', 'xhprof.mode=sample', '-d', 'xhprof.sampling_interval=1000', '-d', "xhprof.output_dir=$folder", '-d', 'xhprof.output_name=inside', "$folder/shares.php", (string) ($seconds + 1)];
    $process = start($command, "$folder/out");
    usleep(300_000);
    $number = proc_get_status($process)['pid'];
    [, $errors, $status] = xhprof('attach', (string) $number, '--duration', "{$seconds}s", '--rate', '499', '-o', "$folder/outside.xhp");
    check('attach', $status === 0, $errors);
    check('the exit status of a program that is sampled', ended($process) === 7);
    check('its output', file_get_contents("$folder/out") === "the end\n");
    $inside = shares("$folder/inside.xhp");
    $outside = shares("$folder/outside.xhp");
    // Four standard errors of a share of one half: less would fail by chance.
    $allowed = 400 * sqrt(0.25 / (499 * $seconds));
    foreach ($inside + $outside as $name => $share) {
        $difference = abs(($inside[$name] ?? 0) - ($outside[$name] ?? 0));
        check("the share of $name", $difference < $allowed, sprintf('%.1f from inside, %.1f from outside', $inside[$name] ?? 0, $outside[$name] ?? 0));
    }
    // A profile from outside is like any other.
    preg_match_all('/^(\S+) .* (?:yes|-) +yes /m', xhprof('convert', '--list')[0], $formats);
    $formats = $formats[1];
    check('the list of formats', count($formats) > 10);
    foreach (
        [
        ['report', "$folder/outside.xhp", '--tree'], ['diff', "$folder/inside.xhp", "$folder/outside.xhp"], ['flamegraph', "$folder/outside.xhp", '-o', "$folder/flame.svg"],
        ['html', "$folder/outside.xhp", '-o', "$folder/page.html"], ['merge', "$folder/outside.xhp", "$folder/inside.xhp", '-o', "$folder/sum.xhp"], ['grep', 'spin', "$folder/outside.xhp"],
        ...array_map(fn ($format) => ['convert', "$folder/outside.xhp", '--to', $format, '-o', "$folder/converted"], $formats),
        ] as $arguments
    ) {
        [, $errors, $status] = xhprof(...$arguments);
        check(implode(' ', $arguments), $status === 0, $errors);
    }
}

// The shares of lines, beside what the program has measured itself: also at the top level of an included file.
file_put_contents("$folder/page.php", <<<'PHP'
    <?php
    $t = hrtime(true); $a = md5($text); $times['page.php:2'] += hrtime(true) - $t;
    $t = hrtime(true); $a = sha1($text); $times['page.php:3'] += hrtime(true) - $t;
    PHP);
file_put_contents("$folder/lines.php", <<<'PHP'
    <?php
    $times = array_fill_keys(['page.php:2', 'page.php:3', 'lines.php:5', 'lines.php:6', 'lines.php:9', 'lines.php:13'], 0);
    function hot(string $text, array &$times): void
    {
        $t = hrtime(true); $a = crc32($text); $times['lines.php:5'] += hrtime(true) - $t;
        $t = hrtime(true); $a = hash('sha512', $text); $times['lines.php:6'] += hrtime(true) - $t;
        (function () use ($text, &$times) {
            // The lines of a closure are its own.
            $t = hrtime(true); $a = strrev($text); $times['lines.php:9'] += hrtime(true) - $t;
        })();
    }
    function page(string $text, array &$times): void { include __DIR__ . '/page.php'; }
    function least(string $text, array &$times): void { $t = hrtime(true); $a = ucwords($text); $times['lines.php:13'] += hrtime(true) - $t; }
    $text = str_repeat('some text ', 40_000);
    for ($end = hrtime(true) + 1e9 * (float) $argv[1]; hrtime(true) < $end;) { hot($text, $times); page($text, $times); least($text, $times); }
    echo json_encode($times);
    PHP);
$command = [$php, '-n', '-d', 'opcache.enable_cli=0', ...($extension === '-' ? [] : ['-d', "extension=$extension", '-d', 'xhprof.auto_enable=1', '-d', 'xhprof.mode=sample', '-d', 'xhprof.sampling_interval=1000', '-d', "xhprof.output_dir=$folder", '-d', 'xhprof.output_name=lines-inside']), "$folder/lines.php", (string) ($seconds + 0.5)];
$process = start($command, "$folder/out");
usleep(200_000);
[, $errors, $status] = xhprof('attach', (string) proc_get_status($process)['pid'], '--duration', "{$seconds}s", '--rate', '997', '-o', "$folder/lines-outside.xhp");
check('attach, lines', $status === 0, $errors);
ended($process);
$measured = json_decode(file_get_contents("$folder/out"), true);
arsort($measured);
foreach (['outside', ...($extension === '-' ? [] : ['inside'])] as $side) {
    [$json] = xhprof('report', "$folder/lines-$side.xhp", '--lines', '--json');
    $lines = json_decode($json, true)['lines'] ?? [];
    $own = array_combine(array_map(fn ($line) => basename($line['file'] ?? '?') . ":$line[line]", $lines), array_map(fn ($line) => $line['self']['wall_ns'], $lines));
    check("the hot line is first, $side", key($own) === key($measured), json_encode(array_slice($own, 0, 3)));
    foreach ($measured as $line => $time) {
        $shares = [100 * $time / array_sum($measured), 100 * ($own[$line] ?? 0) / (array_sum($own) ?: 1)];
        $allowed = 400 * sqrt(0.25 / (997 * $seconds));
        check("the share of $line, $side", abs($shares[0] - $shares[1]) < $allowed, vsprintf('%.1f measured, %.1f sampled', $shares));
        printf("%s %s: %.1f measured, %.1f sampled\n", $side, $line, ...$shares);
    }
}
[$text, $errors, $status] = xhprof('annotate', 'hot', "$folder/lines-outside.xhp");
check('annotate', $status === 0 && str_contains($text, "hash('sha512'") && !str_contains($text, 'source is'), $text . $errors);
touch("$folder/lines.php", time() + 10);
check('a source that was changed', str_contains(xhprof('annotate', 'hot', "$folder/lines-outside.xhp")[0], 'the source was changed'));
file_put_contents("$folder/lines.php", "\n\n\n\n\n\n" . file_get_contents("$folder/lines.php"));
check('a source that has moved', str_contains(xhprof('annotate', 'hot', "$folder/lines-outside.xhp")[0], 'hot does not begin on line 3'));

// No impossible stack of a command, with and without a stop, and the same output. One PHP has no symbols.
file_put_contents("$folder/tree.php", "<?php\n" . tree() . 'for ($x = 1, $end = hrtime(true) + 1e9 * (float) $argv[1]; hrtime(true) < $end;) { $x = t($x); } echo "the end\n"; exit(3);');
$bare = without_symbols($php, "$folder/php-without-symbols");
foreach (array_filter(['plain' => [$php, []], 'stopped' => [$php, ['--stop']], 'without symbols' => $bare === null ? null : [$bare, []]]) as $how => [$which, $options]) {
    $process = start([$which, '-n', "$folder/tree.php", (string) ($seconds + 0.5)], "$folder/out");
    usleep(200_000);
    $number = (string) proc_get_status($process)['pid'];
    [$lines, $errors, $status] = xhprof('attach', $number, '--duration', "{$seconds}s", '--rate', '997', '--collapsed', ...$options);
    check("attach, $how", $status === 0, $errors);
    $samples = 0;
    $wrong = impossible($lines, $samples);
    check("no impossible stack, $how", $wrong === [], implode(' | ', array_slice($wrong, 0, 3)));
    check("samples, $how", $samples > 100 * $seconds, (string) $samples);
    echo "$how: $samples samples\n";
    check("the exit status, $how", ended($process) === 3);
    check("the output, $how", file_get_contents("$folder/out") === "the end\n", file_get_contents("$folder/out") . file_get_contents("$folder/out.err"));
}

// What cannot be read is refused with the reason.
$sleep = proc_open(['sleep', '30'], [], $pipes);
$number = (string) proc_get_status($sleep)['pid'];
[, $errors, $status] = xhprof('attach', $number);
check('a process without PHP', $status === 1 && str_contains($errors, 'it runs no PHP'), $errors);
if (posix_user() === 0 && is_executable('/usr/bin/setpriv')) {
    exec('/usr/bin/setpriv --reuid=65534 --clear-groups ' . escapeshellarg($program) . " dump $number 2>&1", $lines_of_other, $status);
    $text = implode("\n", $lines_of_other);
    check('a process of another user', $status !== 0 && (str_contains($text, 'it belongs to user 0') || str_contains($text, 'ermission denied')), $text);
}
proc_terminate($sleep);
[, $errors, $status] = xhprof('dump', '4194303');
check('a process that is gone', $status === 1 && str_contains($errors, 'there is no such process'), $errors);

finish('commands');
