<?php

/**
 * Runs the recipes of docs/production.md unchanged: the commands before the
 * settings, a server with the settings, requests, the commands after the settings.
 * Then it checks what the recipe promises.
 *
 *     php -n recipes.php EXTENSION PHP-FPM PROGRAM
 *
 * Needs root, because the recipes make directories for www-data. Folders such as
 * /var/lib/xhprof become folders below a temporary folder, and sudo does nothing.
 */

require __DIR__ . '/servers.php';

const APPLICATION = <<<'PHP'
    <?php
    function work() { return leaf(); }
    function leaf() { return md5('x') ? 'body' : ''; }
    if (isset($_GET['wait'])) { usleep(1000 * $_GET['wait']); }
    if (isset($_GET['fail'])) { http_response_code(503); }
    echo work();
    PHP;
const SECRET = ['XHPROF' => 'something long and random'];
const PROFILES = '/var/lib/xhprof';

[, $extension, $fpm, $program] = $argv;
exec('test $(id -u) = 0 && id www-data && getent group adm', $output, $status);
if ($status !== 0) {
    exit("the recipes need root, and Debian's user www-data and group adm, so not run\n");
}
$folder = sys_get_temp_dir() . '/xhprof-recipes-' . getmypid();
$checks = $failed = 0;
$recipe = 'docs/production.md';

function check(string $what, bool $is_true): void
{
    global $checks, $failed, $recipe;
    $checks++;
    if (!$is_true) {
        $failed++;
        echo "$recipe: it is not true that $what\n";
    }
}

/** @return array<string, list<array{kind: string, text: string}>> the blocks of each recipe, by its heading */
function recipes(string $document): array
{
    preg_match('/^## Recipes\n(.*?)^## /ms', $document, $section);
    $recipes = [];
    foreach (array_slice(preg_split('/^### /m', $section[1]), 1) as $text) {
        preg_match_all('/^```(sh|ini)\n(.*?)^```$/ms', $text, $blocks, PREG_SET_ORDER);
        $recipes[strtok($text, "\n")] = array_map(fn ($block) => ['kind' => $block[1], 'text' => $block[2]], $blocks);
    }
    return $recipes;
}

/** Text of a recipe, with the paths of the temporary folder. */
function here(string $text): string
{
    global $folder, $address;
    return str_replace(['/var/', 'https://staging.example.com'], ["$folder/machine/var/", $address ?? 'https://staging.example.com'], $text);
}

/** Runs a recipe's commands; returns their output. */
function commands(string $text, ?string $user = null): string
{
    global $folder;
    $command = ['bash', '-euo', 'pipefail', '-c', "cd $folder/home; " . here($text)];
    if ($user !== null) {
        $command = ['setpriv', "--reuid=$user", '--regid=nogroup', '--clear-groups', ...$command];
    }
    $environment = ['PATH' => "$folder/bin:" . getenv('PATH'), 'HOME' => "$folder/home", 'LC_ALL' => 'C'];
    file_put_contents("$folder/said", '');
    $process = proc_open($command, [['file', '/dev/null', 'r'], ['file', "$folder/said", 'a'], ['file', "$folder/said", 'a']], $pipes, null, $environment);
    $status = proc_close($process);
    $said = file_get_contents("$folder/said");
    check("these commands succeed:\n$text  they said: $said", $status === 0);
    return $said;
}

/** The recipe's settings, with some of them replaced. */
function settings(array $blocks, array $changes = []): string
{
    $ini = implode(array_column(array_filter($blocks, fn ($block) => $block['kind'] === 'ini'), 'text'));
    foreach ($changes as $from => $to) {
        $ini = str_replace($from, $to, $ini, $count);
        check("the settings have \"$from\"", $count === 1);
    }
    return here($ini);
}

/** Runs the commands before the settings, and starts a php-fpm with the settings as www-data. */
function with_fpm(array $blocks, callable $use, array $changes = []): void
{
    global $folder, $fpm, $extension, $recipe;
    foreach ($blocks as $block) {
        if ($block['kind'] === 'ini') {
            break;
        }
        commands($block['text']);
    }
    file_put_contents("$folder/php.ini", "extension = $extension\nlog_errors = On\nerror_log = $folder/logs/php.log\n" . settings($blocks, $changes));
    $server = new FpmServer($fpm, $folder, [], 2, 'www-data', "$folder/php.ini");
    if (!file_exists($server->socket)) {
        exit("$recipe: php-fpm does not start: " . $server->said());
    }
    $ask = fn (string $path, array $headers = []) => FpmServer::answer($server->send("$folder/application.php", explode('?', $path, 2)[1] ?? '', [
        'REQUEST_URI' => $path, 'HTTP_HOST' => 'example.com',
    ] + array_combine(array_map(fn ($it) => "HTTP_$it", array_keys($headers)), $headers)));
    check('php-fpm answers with these settings: ' . $server->said(), str_contains($ask('/warm-up-that-is-not-counted?'), 'body'));
    try {
        $use($ask);
    } finally {
        $server->stop();
    }
}

/** Runs the commands after the settings. */
function commands_after(array $blocks): string
{
    $kinds = array_column($blocks, 'kind');
    $said = '';
    foreach (array_slice($blocks, array_search('ini', $kinds) + 1) as $block) {
        $said .= commands($block['text']);
    }
    return $said;
}

function profiles(): array
{
    return glob(here(PROFILES) . '/*.xhp');
}

/** Deletes everything of the recipe before. */
function start_afresh(): void
{
    global $folder;
    foreach (['machine', 'home', 'logs', 'bin'] as $name) {
        if (is_dir("$folder/$name")) {
            exec('umount ' . escapeshellarg(here(PROFILES)) . ' 2>/dev/null');
            exec('rm -rf ' . escapeshellarg("$folder/$name"));
        }
        mkdir("$folder/$name", 0755, true);
    }
    // The parent folders that `install -d` needs.
    mkdir("$folder/machine/var/lib", 0755, true);
    mkdir("$folder/machine/var/log", 0755, true);
    chmod("$folder/logs", 0777);
    global $extension, $program;
    $commands = [
        'sudo' => 'exec "$@"',
        'php' => 'exec ' . escapeshellarg(PHP_BINARY) . ' -n -d extension=' . escapeshellarg($extension) . ' "$@"',
        'xhprof' => 'exec ' . escapeshellarg("$folder/xhprof") . ' "$@"',
    ];
    foreach ($commands as $name => $text) {
        file_put_contents("$folder/bin/$name", "#!/bin/sh\n$text\n");
        chmod("$folder/bin/$name", 0755);
    }
}

/** Owner, group and mode. */
function about(string $path): string
{
    return trim((string) shell_exec('stat -c "%U %G %a" ' . escapeshellarg($path)));
}

/** Checks the permissions of the directory and of a profile. */
function check_directory(): void
{
    $about = about(here(PROFILES));
    check("the directory is www-data's, for the group adm to read: $about", $about === 'www-data adm 2750');
    foreach (array_slice(profiles(), 0, 1) as $file) {
        $about = about($file);
        check("a profile is www-data's, and adm may read it: $about", $about === 'www-data adm 640');
        exec('setpriv --reuid=daemon --regid=nogroup --clear-groups cat ' . escapeshellarg($file) . ' 2>&1', $output, $status);
        check('another user may not read it', $status !== 0);
    }
}

$checks_of = [
    'A laptop: one command' => function (array $blocks): void {
        global $folder;
        chown("$folder/home", 'daemon');
        file_put_contents("$folder/home/words.php", APPLICATION);
        $said = commands($blocks[0]['text'], 'daemon');
        check("PHP says where the profile is: $said", str_contains($said, "xhprof: profile written to $folder/home/words.xhp"));
        check("the report has the functions: $said", str_contains($said, 'work') && str_contains($said, 'leaf'));
        check('the profile is the user\'s own', str_starts_with(about("$folder/home/words.xhp"), 'daemon '));
    },
    'A laptop or staging: the page you look at' => function (array $blocks): void {
        global $folder, $extension, $address;
        commands($blocks[0]['text']);
        $ini = "extension = $extension\nlog_errors = On\nerror_log = $folder/logs/php.log\n" . settings($blocks);
        file_put_contents("$folder/php.ini", $ini);
        $web = new Http(function (int $port) use ($folder, &$address) {
            $address = "http://127.0.0.1:$port";
            return ['setpriv', '--reuid=www-data', '--regid=www-data', '--clear-groups', 'env', 'PHP_INI_SCAN_DIR=', PHP_BINARY, '-c', "$folder/php.ini", '-S', "127.0.0.1:$port", "$folder/application.php"];
        }, $folder);
        try {
            foreach (['without a cookie' => [], 'with a wrong secret' => ['Cookie' => 'XHPROF=guess-9']] as $what => $headers) {
                $answer = $web->read($web->send('/articles/7', $headers));
                check("a request $what is answered: $answer", str_contains($answer, 'body'));
                check("a request $what is not profiled", profiles() === [] && !str_contains($answer, 'X-Xhprof-Run'));
            }
            $log = (string) @file_get_contents("$folder/logs/php.log");
            check("the wrong secret left a line, without it: $log", substr_count($log, 'with a wrong secret') === 1 && !str_contains($log, 'guess-9'));
            $said = commands_after($blocks);
            check("the report is of the request: $said", str_contains($said, 'GET /articles/?') && str_contains($said, 'leaf'));
            check('one profile was written', count(profiles()) === 1);
            check_directory();
        } finally {
            $web->stop();
        }
    },
    'Production: one request of a hundred' => function (array $blocks): void {
        global $folder;
        with_fpm($blocks, function ($ask): void {
            for ($i = 0; $i < 1500; $i++) {
                $ask('/articles/7');
            }
            $count = count(profiles());
            check("one of a hundred is profiled: $count of 1500", $count >= 1 && $count <= 45);
            $ask('/health', SECRET);
            check('a request with the secret is profiled', count(profiles()) === $count + 1);
            check_directory();
        });
        start_afresh();
        with_fpm($blocks, function ($ask): void {
            foreach (['/health', '/x/metrics'] as $path) {
                $before = count(profiles());
                $ask($path);
                check("$path is not profiled", count(profiles()) === $before);
            }
            $minute = intdiv(time(), 60);
            for ($i = 0; $i < 150; $i++) {
                $ask('/articles/7');
            }
            $count = count(profiles());
            check("at most 60 are profiled in a minute: $count", $count === 60 || $minute !== intdiv(time(), 60) && $count <= 120);
            exec($GLOBALS['folder'] . '/xhprof report --limit 0 ' . escapeshellarg(profiles()[0]), $lines);
            $report = implode("\n", $lines);
            check("functions of PHP are left out: $report", str_contains($report, 'leaf') && !str_contains($report, 'md5'));
        }, ['xhprof.rate = 0.01' => 'xhprof.rate = 1']);
        start_afresh();
        with_fpm($blocks, function ($ask) use ($folder): void {
            for ($i = 0; $i < 400; $i++) {
                $ask('/articles/7');
            }
            $bytes = array_sum(array_map(filesize(...), profiles()));
            check("the directory stays below its limit: $bytes", $bytes > 0 && $bytes <= 65536);
            check('the log says so', str_contains((string) @file_get_contents("$folder/logs/php.log"), 'has reached xhprof.max_dir_size'));
        }, ['xhprof.rate = 0.01' => 'xhprof.rate = 1', 'max_per_minute = 60' => 'max_per_minute = 0', 'max_dir_size = 2G' => 'max_dir_size = 64K']);
    },
    'Production: every request, sampled' => function (array $blocks): void {
        with_fpm($blocks, function ($ask): void {
            for ($i = 0; $i < 4; $i++) {
                $ask('/articles/7?wait=300');
            }
            // Requests are sampled at least once, if they are long enough.
            check('every long request has a file', count(profiles()) >= 4);
            check_directory();
        });
        $said = commands_after($blocks);
        check("the sum shows where the time goes: $said", str_contains($said, 'usleep') && preg_match('/sampl/i', $said) === 1);
    },
    "Production: a machine with OPcache's JIT" => function (array $blocks): void {
        with_fpm($blocks, function ($ask): void {
            global $folder;
            $ask('/articles/7?wait=300');
            check('a request without the secret is not profiled', profiles() === []);
            $ask('/articles/7?wait=300', SECRET);
            check('a request with the secret is profiled', count(profiles()) === 1);
            exec("$folder/xhprof report --limit 0 " . escapeshellarg(profiles()[0]), $lines);
            $report = implode("\n", $lines);
            check("it is sampled: $report", str_contains($report, 'usleep') && str_contains($report, 'sample'));
            check_directory();
        });
    },
    'Production: slow and failed requests' => function (array $blocks): void {
        with_fpm($blocks, function ($ask): void {
            $ask('/articles/7');
            check('a quick request is not written', profiles() === []);
            $ask('/articles/7?fail=1');
            check('a failed request is written', count(profiles()) === 1);
            $ask('/articles/7?wait=2050');
            check('a slow request is written', count(profiles()) === 2);
            check_directory();
        });
    },
    'Production: profiles in memory' => function (array $blocks): void {
        exec('mountpoint -q / && mkdir -p ' . here('/var/try') . ' && mount -t tmpfs tmpfs ' . here('/var/try') . ' 2>&1 && umount ' . here('/var/try'), $output, $status);
        if ($status !== 0) {
            echo "no file system can be mounted here, so not run: Production: profiles in memory\n";
            return;
        }
        with_fpm($blocks, function ($ask): void {
            $ask('/articles/7');
            exec('stat -f -c "%T %b %S" ' . escapeshellarg(here(PROFILES)), $lines);
            [$type, $blocks, $size] = explode(' ', $lines[0]);
            check("the directory is 256 MiB of memory: $lines[0]", $type === 'tmpfs' && $blocks * $size === 256 << 20);
            check('every request is written', count(profiles()) === 2);
            check_directory();
        });
    },
    'Why is this request profiled, or not?' => function (array $blocks): void {
        with_fpm($blocks, function ($ask): void {
            $log = here('/var/log/xhprof/decisions.log');
            $lines = fn () => is_file($log) ? count(preg_grep('/xhprof: GET/', file($log))) : 0;
            $before = $lines();
            $ask('/articles/7');
            $ask('/articles/8', ['XHPROF' => 'wrong']);
            check('each request leaves one line', $lines() === $before + 2);
            check('a wrong secret is named', str_contains(file_get_contents($log), 'GET /articles/8: not profiled: xhprof.trigger, with a wrong secret'));
        });
        commands_after($blocks);
    },
    'Which profiles are there, and which is the slow one?' => function (array $blocks): void {
        $settings = "xhprof.auto_enable = 1\nxhprof.output_dir = " . PROFILES . "\n";
        $directory = 'sudo install -d -o www-data -g adm -m 2750 ' . PROFILES . "\n";
        with_fpm([['kind' => 'sh', 'text' => $directory], ['kind' => 'ini', 'text' => $settings]], function ($ask) use ($blocks): void {
            $ask('/articles/7?fail=1');
            $ask('/slow?wait=300');
            $commands = preg_split('/\n(?=xhprof)/', trim($blocks[0]['text']));
            [$all, $longest, $failed] = array_map(fn (string $command) => commands("$command\n"), $commands);
            check("all are listed: $all", str_contains($all, '/articles/?') && str_contains($all, '/slow'));
            check("the longest is the first: $longest", strpos($longest, '/slow') < strpos($longest, '/articles/?'));
            check("only failed articles are left: $failed", str_contains($failed, '/articles/?') && !str_contains($failed, '/slow'));
        });
    },
    'The profiles of a week' => function (array $blocks): void {
        mkdir(here(PROFILES));
        foreach (['new.xhp' => 6, 'old.xhp' => 8, 'old.xhp.partial' => 8, 'other.txt' => 8, '.xhprof-33.ledger' => 8] as $name => $days) {
            touch(here(PROFILES . "/$name"), time() - 86400 * $days);
        }
        commands($blocks[0]['text']);
        check('the new profile and files that are no profiles are left', array_values(array_diff(scandir(here(PROFILES)), ['.', '..'])) === ['.xhprof-33.ledger', 'new.xhp', 'other.txt']);
    },
];

mkdir($folder, 0755);
// For users who may not look into a checkout.
foreach (['extension' => 'xhprof.so', 'program' => 'xhprof'] as $what => $name) {
    copy($$what, "$folder/$name");
    chmod("$folder/$name", 0755);
}
$extension = "$folder/xhprof.so";
file_put_contents("$folder/application.php", APPLICATION);
register_shutdown_function(function () use ($folder): void {
    start_afresh();
    exec('rm -rf ' . escapeshellarg($folder));
});
$recipes = recipes(file_get_contents(__DIR__ . '/../../../docs/production.md'));
check('every recipe has a check, and every check a recipe: ' . implode(', ', array_merge(array_diff(array_keys($recipes), array_keys($checks_of)), array_diff(array_keys($checks_of), array_keys($recipes)))), array_keys($recipes) === array_keys($checks_of));
foreach ($recipes as $recipe => $blocks) {
    start_afresh();
    isset($checks_of[$recipe]) and $checks_of[$recipe]($blocks);
}
echo count($recipes), " recipes, $checks checks, $failed of them failed\n";
exit($failed || !$checks ? 1 : 0);
