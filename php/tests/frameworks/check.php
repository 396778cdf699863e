<?php

/**
 * Runs the files of docs/frameworks.md in small applications, and checks the titles of
 * the profiles.
 *
 *     php -n check.php EXTENSION PROGRAM PHP-FPM
 *
 * Every block of the page that begins with a path becomes that file, beside an
 * application of this folder. Symfony and Laravel are Debian's packages; WordPress and
 * Magento are stand-ins. PHP-FPM is "-" if it is not installed.
 */

require __DIR__ . '/../../../php-tests/programs/servers/fpm-server.php';

const SECRET = ['HTTP_COOKIE' => 'XHPROF=something%20long%20and%20random'];

[, $extension, $program, $fpm] = $argv;
$folder = sys_get_temp_dir() . '/xhprof-frameworks-' . getmypid();
$checks = $failed = 0;
$part = 'docs/frameworks.md';
register_shutdown_function(fn () => exec('rm -rf ' . escapeshellarg($folder)));

function check(string $what, mixed $found, mixed $expected = true): void
{
    global $checks, $failed, $part;
    $checks++;
    if ($found !== $expected) {
        $failed++;
        echo "$part: $what: ", json_encode($found, JSON_UNESCAPED_SLASHES), ' instead of ', json_encode($expected, JSON_UNESCAPED_SLASHES), "\n";
    }
}

/** @return array<string, string> the files of the page, by the path in their first line (in XML, the second), and its commands by number */
function files(string $page): array
{
    preg_match_all('/^```(php|xml|yaml|ini|sh)\n(.*?)^```$/ms', $page, $blocks, PREG_SET_ORDER);
    $files = [];
    foreach ($blocks as [, $kind, $text]) {
        $has_path = preg_match('/^(?:<\?php \/\/|<\?xml version="1.0"\?>\n<!--|#|;) (\S+\.\w+)(?: (\w[^\n]*?))?(?: -->)?\n/', $text, $found);
        check("a block of $kind has a path", $kind === 'sh' || $has_path === 1);
        $path = $kind === 'sh' ? 'commands ' . count(preg_grep('/^commands/', array_keys($files))) : trim($found[1] . ' ' . ($found[2] ?? ''));
        $files[$path] = $text;
    }
    return $files;
}

/** A block of settings, with the paths of the temporary folder. */
function here(string $settings): string
{
    global $folder;
    return str_replace(['/var/lib/xhprof', 'rate = 0.01', 'xhprof.rate] = 0.01'], ["$folder/profiles", 'rate = 1', 'xhprof.rate] = 1'], $settings);
}

/** The lines of php.ini that load the extension, and the modules that frameworks need. */
function modules(): string
{
    global $extension, $folder;
    $lines = "extension = $extension\ninclude_path = .:/usr/share/php\nlog_errors = On\nerror_log = $folder/php.log\nhtml_errors = 0\n";
    foreach (['ctype', 'iconv', 'intl', 'mbstring', 'tokenizer', 'posix', 'dom', 'simplexml', 'pdo', 'pdo_sqlite'] as $name) {
        if (!extension_loaded($name) && is_file(ini_get('extension_dir') . "/$name.so")) {
            $lines .= "extension = $name\n";
        }
    }
    return $lines;
}

/**
 * Files that give classes of the package php/ the names by which an application finds its own.
 *
 * @return array<string, string>
 */
function bridges(string $namespace, string $folder, string ...$classes): array
{
    $files = [];
    foreach ($classes as $class) {
        $files["$folder/$class.php"] = '<?php require_once ' . var_export(dirname(__DIR__, 2) . '/autoload.php', true)
            . "; class_alias('Xhprof\\Bridge\\$class', '$namespace\\$class');";
    }
    return $files;
}

/** Puts files beside an application, after deleting those of the application before. */
function application(string $name, array $files): void
{
    global $folder;
    exec('rm -rf ' . escapeshellarg($folder));
    mkdir("$folder/profiles", 0700, true);
    foreach ($files as $path => $text) {
        is_dir(dirname("$folder/$path")) || mkdir(dirname("$folder/$path"), 0700, true);
        file_put_contents("$folder/$path", $text);
        if (str_ends_with($path, '.xml')) {
            exec('python3 -c "import sys, xml.etree.ElementTree as xml; xml.parse(sys.argv[1])" ' . escapeshellarg("$folder/$path") . ' 2>&1', $output, $status);
            check("$path is XML: " . implode("\n", $output), $status, 0);
        }
    }
    foreach (['messages', 'drupal'] as $part) {
        copy(__DIR__ . "/$part.php", "$folder/$part.php");
    }
    copy(__DIR__ . "/$name.php", "$folder/application.php");
}

/** Runs a command with the settings for the command line; returns its output. */
function command(string $settings, array $environment, string ...$arguments): string
{
    global $folder;
    file_put_contents("$folder/cli.ini", modules() . here($settings));
    $process = proc_open([PHP_BINARY, '-c', "$folder/cli.ini", 'application.php', ...$arguments], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes, $folder, $environment + ['PHP_INI_SCAN_DIR' => '/dev/null'] + getenv());
    $output = stream_get_contents($pipes[1]);
    check("`$arguments[0]` ends well, and says: $output", proc_close($process), 0);
    return $output;
}

/** Runs the same commands without the extension, where the added code must do nothing. */
function commands_without_extension(array ...$commands): void
{
    global $folder;
    file_put_contents("$folder/cli.ini", substr(strstr(modules(), "\n"), 1));
    foreach ($commands as $arguments) {
        exec('cd ' . escapeshellarg($folder) . ' && PROFILE_JOBS=1 PHP_INI_SCAN_DIR=/dev/null ' . implode(' ', array_map(escapeshellarg(...), [PHP_BINARY, '-c', "$folder/cli.ini", 'application.php', ...$arguments])) . ' 2>&1', $lines, $status);
        check("without the extension `$arguments[0]` ends well, and says: " . implode("\n", $lines), $status, 0);
    }
    check_titles([]);
}

/** Sends requests, `[target, variables]`, to a php-fpm; returns the answers. */
function requests(string $settings, array $requests, string $pool = ''): array
{
    global $folder, $fpm;
    file_put_contents("$folder/fpm.ini", modules() . here($settings));
    $server = new FpmServer($fpm, $folder, [], ini: "$folder/fpm.ini", pool: here($pool));
    check('php-fpm starts: ' . $server->said(), file_exists($server->socket));
    $answers = [];
    foreach ($requests as [$target, $variables]) {
        $answers[] = FpmServer::answer($server->send("$folder/application.php", explode('?', $target, 2)[1] ?? '', $variables + ['REQUEST_URI' => $target, 'WORDPRESS' => getenv('WORDPRESS')]));
    }
    $server->stop(3);
    return $answers;
}

/** The reports of all profiles, in the order in which they began; deletes the profiles. */
function profiles(): array
{
    global $folder, $program;
    $reports = [];
    foreach (glob("$folder/profiles/*.xhp") as $file) {
        $report = json_decode((string) shell_exec(escapeshellarg($program) . ' report --json --limit 0 ' . escapeshellarg($file)), true);
        $reports[$report['meta']['started_unix_us']] = $report + ['file' => basename($file)];
        unlink($file);
    }
    ksort($reports);
    return array_values($reports);
}

/** Runs commands of the page; returns their output. */
function shell(string $commands): string
{
    global $folder, $program;
    $commands = 'cd ' . escapeshellarg($folder) . '; xhprof() { ' . escapeshellarg($program) . ' "$@"; }; ' . here($commands);
    exec('bash -euo pipefail -c ' . escapeshellarg($commands) . ' 2>&1', $lines, $status);
    check('the commands succeed, and say: ' . implode("\n", $lines), $status, 0);
    return implode("\n", $lines);
}

function check_titles(array $titles, string $function = ''): array
{
    global $folder;
    $profiles = profiles();
    check('the titles', array_column($profiles, 'title'), $titles);
    foreach ($profiles as $profile) {
        $route = $profile['meta']['tags']['route'] ?? null;
        check("\"$profile[title]\" ends in its route, " . json_encode($route), $route !== null && str_ends_with($profile['title'], $route));
        $function === '' || check("\"$profile[title]\" has the call of $function", in_array($function, array_column($profile['functions'], 'name'), true));
    }
    $log = (string) @file_get_contents("$folder/php.log");
    check("no warning in the log: $log", preg_match('/PHP (Warning|Fatal|Notice)|xhprof:/', $log), 0);
    @unlink("$folder/php.log");
    return $profiles;
}

function has_packages(string ...$names): bool
{
    foreach ($names as $name) {
        if (!is_file("/usr/share/php/$name/autoload.php")) {
            return false;
        }
    }
    return true;
}

$page = file_get_contents(__DIR__ . '/../../../docs/frameworks.md');
$files = files($page);
$of = fn (string $pattern) => array_filter($files, fn ($path) => preg_match($pattern, $path) === 1, ARRAY_FILTER_USE_KEY);
$cli = $files['/etc/php/8.2/cli/conf.d/90-xhprof.ini'];
$production = $files['/etc/php/8.2/fpm/conf.d/90-xhprof.ini in production'];
$staging = $files['/etc/php/8.2/fpm/conf.d/90-xhprof.ini on staging'];
$has_fpm = $fpm !== '-';
$get = fn (string $target, array $variables = []) => [$target, $variables];

$parts = [
    'Symfony' => function () use ($of, $files, $cli, $production, $staging, $has_fpm, $get): ?string {
        if (!has_packages('Symfony/Component/HttpKernel', 'Symfony/Component/Routing', 'Symfony/Component/Console', 'Symfony/Component/Messenger')) {
            return "Debian's packages of Symfony are not installed";
        }
        // The page's classes, then the package's.
        foreach ([$of('{^src/}'), bridges('App\EventSubscriber', 'src/EventSubscriber', 'SymfonyRoutes', 'SymfonyMessages', 'SymfonyRequests')] as $classes) {
            application('symfony', $classes);
            command($cli, ['XHPROF' => '1'], 'app:import');
            check_titles(['app:import'], 'work');
            command($cli, [], 'app:import');
            check_titles([]);
            command($cli, ['PROFILE_JOBS' => '1'], 'messenger:consume', 'async', '--limit=3');
            $profiles = check_titles(array_fill(0, 3, 'App\Message\SendMail'), 'work');
            check('the failure', array_map(fn ($profile) => $profile['meta']['tags']['error'] ?? null, $profiles), [null, null, 'DomainException']);
            check('the transport', $profiles[0]['meta']['tags']['transport'] ?? null, 'async');
            check('the file is called by the message', preg_match('/^\d+\.App_Message_SendMail\.[0-9a-f]+\.xhp$/', $profiles[0]['file'] ?? ''), 1);
            command($cli, [], 'messenger:consume', 'async', '--limit=3');
            check_titles([]);
            command($cli, ['PROFILE_JOBS' => '1'], 'serve');
            $profiles = check_titles(['GET article_show', 'GET article_show', 'GET article_show', 'GET none']);
            check('the statuses', array_map(fn ($profile) => $profile['meta']['tags']['code'] ?? null, $profiles), ['200', '200', '500', '404']);
            commands_without_extension(['app:import'], ['messenger:consume', 'async', '--limit=3'], ['serve']);
            if ($has_fpm) {
                requests($production, [$get('/articles/7'), $get('/articles/3'), $get('/users/4711')]);
                $said = shell($files['commands 1']);
                check("the list has the route: $said", preg_match('/ article_show .*\.xhp$/m', $said), 1);
                check("and the sums by route: $said", preg_match('/^ *2 .* article_show .*\.xhp$/m', $said), 1);
                check_titles(['GET article_show', 'GET article_show', 'GET /users/?']);
                $answers = requests($staging, [$get('/articles/7'), $get('/articles/7', SECRET)]);
                check_titles(['GET article_show'], 'work');
                check('the answer names the profile', array_map(fn ($answer) => str_contains($answer, 'X-Xhprof-Run: '), $answers), [false, true]);
            }
        }
        return null;
    },
    "Symfony's web profiler" => function () use ($cli, $files): ?string {
        if (!has_packages('Symfony/Bundle/WebProfilerBundle', 'Symfony/Component/Yaml')) {
            return "Debian's packages of Symfony's web profiler and YAML are not installed";
        }
        $package = dirname(__DIR__, 2);
        // The page's configuration, at the places that it has here.
        $services = str_replace('%kernel.project_dir%/vendor/xhprof/xhprof', $package, $files['config/packages/xhprof.yaml']);
        application('web-profiler', ['xhprof.yaml' => $services]);
        $pages = fn (): array => array_map(fn ($line) => json_decode($line, true), explode("\n", trim(command($cli, ['XHPROF_PACKAGE' => $package], 'panel'))));
        [$repeated, $without] = $pages();
        check('the panels are shown', [$repeated['status'] ?? null, $without['status'] ?? null], [200, 200]);
        check('the panel has the statement', str_contains($repeated['panel'], '<code class="break-long-words">SELECT ?</code>'));
        check('without its literal', str_contains($repeated['panel'], 'article &lt;'), false);
        check('with its caller', preg_match('/5× by\s*<[^>]+"[^"]*application\.php[^"]*">Articles::find</', $repeated['panel']), 1);
        check('the menu warns of the N+1', preg_match('/label-status-warning">\s*<span class="icon"><svg[^>]*><path[^>]*><\/svg><\/span>\s*<strong>XHProf/', $repeated['panel']), 1);
        check('functions have their calls and times', preg_match_all('/<td class="font-normal nowrap">[\d.]+ ms<\/td>\s*<td class="font-normal break-long-words">/', $repeated['panel']) === 30);
        check("what the web profiler does is not: {$without['status']}", str_contains($without['panel'], 'Profiler::collect'), false);
        check('the toolbar counts calls', preg_match('/sf-toolbar-label">xhprof<.*?sf-toolbar-value">[\d,]+</s', $repeated['toolbar']), 1);
        check('no statement is said', str_contains($without['panel'], 'No SQL statement was made.'));
        check_titles([]);
        // With the trigger the file has it all, and the panel nothing.
        $answers = command($cli, ['XHPROF' => '1', 'XHPROF_PACKAGE' => $package], 'panel');
        check('the panel leaves a profile of the trigger alone', substr_count($answers, 'This request was not profiled.'), 2);
        $profiles = profiles();
        check('that profile is whole', in_array('Articles::find', array_column($profiles[0]['functions'] ?? [], 'name'), true));
        global $folder;
        exec('rm -rf ' . escapeshellarg("$folder/var"));
        file_put_contents("$folder/cli.ini", substr(strstr(modules(), "\n"), 1));
        exec('cd ' . escapeshellarg($folder) . ' && PHP_INI_SCAN_DIR=/dev/null XHPROF_PACKAGE=' . escapeshellarg($package) . ' ' . PHP_BINARY . ' -c cli.ini application.php panel 2>/dev/null', $lines);
        check('without the extension the panel says so', str_contains($lines[0] ?? '', 'This PHP has no extension xhprof.'));
        return null;
    },
    'Templates' => function () use ($extension, $program): ?string {
        global $folder;
        $missing = [];
        foreach ([['twig', 'Twig'], ['blade', 'Illuminate/View']] as [$engine, $package]) {
            if (!has_packages($package)) {
                $missing[] = "Debian's package of $package is not installed";
                continue;
            }
            application('templates', []);
            file_put_contents("$folder/cli.ini", substr(strstr(modules(), "\n"), 1));
            $run = [$program, 'run', '--extension', realpath($extension), '-o', 'run.xhp', '--', PHP_BINARY, '-c', 'cli.ini', '-d', 'xhprof.run_init=1',
                'application.php', $engine];
            exec('cd ' . escapeshellarg($folder) . ' && PHP_INI_SCAN_DIR=/dev/null ' . implode(' ', array_map(escapeshellarg(...), $run)) . ' 2>run.log', $lines, $status);
            check("$engine runs: " . file_get_contents("$folder/run.log"), $status, 0);
            $report = json_decode((string) shell_exec(escapeshellarg($program) . ' report --json --limit 0 ' . escapeshellarg("$folder/run.xhp")), true);
            $found = [];
            foreach ($report['functions'] ?? [] as $function) {
                $found[$function['name']] = [$function['inclusive']['calls'], isset($function['file']) ? str_replace("$folder/templates/", '', $function['file']) : null, $function['line'] ?? null];
            }
            $expected = $engine === 'twig' ? [
                'twig::shop/page.html.twig' => [1, 'shop/page.html.twig', 1],
                'twig::shop/page.html.twig::block_body' => [1, 'shop/page.html.twig', 7],
                'twig::shop/page.html.twig::macro_cents' => [3, 'shop/page.html.twig', 3],
                'twig::layout.html.twig' => [1, 'layout.html.twig', 1],
            ] : [
                'run_init::shop/page.blade.php' => [1, 'shop/page.blade.php', 1],
                'run_init::templates/layout.blade.php' => [1, 'layout.blade.php', 1],
            ];
            $named = array_intersect_key($found, $expected);
            ksort($named);
            ksort($expected);
            check("the functions of $engine's templates", $named, $expected);
            $closures = preg_grep('/^Illuminate.Filesystem.Filesystem::\{closure:shop\/page\.blade\.php, compiled:\d+\}$/', array_keys($found));
            check('a closure of a view is named by it', count($closures), $engine === 'blade' ? 1 : 0);
            check("no function of $engine's has another name", array_values(preg_grep('/TwigTemplate|run_init::cache|closure:cache/', array_keys($found))), []);
        }
        return $missing === [] ? null : implode(', ', $missing);
    },
    'Laravel' => function () use ($of, $cli, $production, $has_fpm, $get): ?string {
        if (!has_packages('Illuminate/Routing', 'Illuminate/Queue', 'Illuminate/Console', 'Illuminate/Events')) {
            return "Debian's packages of Laravel are not installed";
        }
        foreach ([$of('{^app/Providers/}'), bridges('App\Providers', 'app/Providers', 'LaravelServiceProvider')] as $classes) {
            application('laravel', $classes);
            command($cli, ['XHPROF' => '1'], 'reports:send');
            check_titles(['reports:send'], 'work');
            command($cli, ['PROFILE_JOBS' => '1'], 'queue');
            $profiles = check_titles(array_fill(0, 3, 'App\Jobs\SendMail'), 'App\Jobs\SendMail::handle');
            check('the failure', array_map(fn ($profile) => $profile['meta']['tags']['error'] ?? null, $profiles), [null, null, 'DomainException']);
            check('the queue', $profiles[0]['meta']['tags']['queue'] ?? null, 'mails');
            command($cli, [], 'queue');
            check_titles([]);
            command($cli, ['PROFILE_JOBS' => '1'], 'octane');
            check_titles(array_fill(0, 3, 'GET articles/{id}'));
            commands_without_extension(['reports:send'], ['queue'], ['octane']);
            if ($has_fpm) {
                requests($production, [$get('/articles/7'), $get('/nowhere')]);
                check_titles(['GET articles/{id}', 'GET /nowhere']);
            }
        }
        return null;
    },
    'WordPress' => function () use ($of, $cli, $production, $has_fpm, $get): ?string {
        $files = $of('{^wp-content/}');
        $panel = 'wp-content/mu-plugins/xhprof-panel.php';
        $files[$panel] = str_replace("__DIR__ . '/xhprof", var_export(dirname(__DIR__, 2), true) . " . '", file_get_contents(dirname(__DIR__, 2) . '/wordpress/xhprof-panel.php'));
        application('wordpress', $files);
        command($cli, ['XHPROF' => '1'], 'wp', 'post', 'list', '--field=ID');
        check_titles(['wp post list']);
        commands_without_extension(['wp', 'post', 'list']);
        if ($has_fpm) {
            $post = ['REQUEST_METHOD' => 'POST'];
            $ajax = ['SCRIPT_NAME' => '/wp-admin/admin-ajax.php'];
            $cron = ['SCRIPT_NAME' => '/wp-cron.php'];
            requests($production, [
                $get('/2026/11/hello'), $get('/block'), $get('/wp-json/wp/v2/posts/7'), $get('/wp-json/wp/v2/users/7/refused'), $get('/wp-admin/edit.php'),
                $get('/wp-admin/admin-ajax.php?action=heartbeat', $ajax + $post), $get('/wp-admin/admin-ajax.php?action=of-a-plugin', $ajax), $get('/wp-admin/admin-ajax.php?action=guess-4711', $ajax),
                $get('/wp-cron.php?events=wp_version_check', $cron), $get('/wp-cron.php?events=wp_version_check+wp_scheduled_delete', $cron),
            ]);
            $profiles = check_titles([
                'GET single.php', 'GET theme//single', 'GET /wp/v2/posts/{id}/{slug}', 'GET /wp/v2/users/{id}', 'GET admin edit-post',
                'POST ajax heartbeat', 'GET ajax of-a-plugin', 'GET ajax unknown', 'GET cron wp_version_check', 'GET cron',
            ]);
            check('the hooks', end($profiles)['meta']['tags']['hooks'] ?? null, 'wp_version_check wp_scheduled_delete');
        }
        return null;
    },
    'Magento' => function () use ($of, $cli, $production, $has_fpm, $get): ?string {
        application('magento', $of('{^app/code/}'));
        command($cli, ['XHPROF' => '1'], 'indexer:reindex');
        check_titles(['indexer:reindex']);
        commands_without_extension(['indexer:reindex']);
        if ($has_fpm) {
            requests($production, [$get('/shoes.html')]);
            check_titles(['GET catalog_product_view']);
        }
        return null;
    },
    'Drupal' => function () use ($of, $production, $has_fpm, $get): ?string {
        if (!$has_fpm || !has_packages('Symfony/Component/HttpKernel', 'Symfony/Component/Routing', 'Symfony/Component/Console', 'Symfony/Component/Messenger', 'Symfony/Component/DependencyInjection')) {
            return "php-fpm or Debian's packages of Symfony are not installed";
        }
        application('symfony', $of('{^web/}'));
        requests($production, [$get('/articles/7')]);
        check_titles(['GET article_show']);
        return null;
    },
    'php-fpm' => function () use ($files, $has_fpm, $get): ?string {
        if (!$has_fpm) {
            return 'php-fpm is not installed';
        }
        global $folder;
        application('magento', []);
        file_put_contents("$folder/application.php", "<?php ini_set('xhprof.output_dir', '/nowhere'); function work() {} work(); echo 'body';");
        requests('', [$get('/articles/4711')], $files['/etc/php/8.2/fpm/pool.d/shop.conf at its end']);
        $profiles = check_titles(['GET /articles/?'], 'work');
        check('the file is called by the route', preg_match('/^\d+\.\w*articles\w*\.[0-9a-f]+\.xhp$/', $profiles[0]['file'] ?? ''), 1);
        requests('', [$get('/articles/4711')]);
        check_titles([]);
        return null;
    },
];

check('config/debugbar.php names the panel', array_keys((eval('?>' . $files['config/debugbar.php']))['custom_collectors']), ['Xhprof\Bridge\DebugbarPanel']);
check('the directory is made as in docs/production.md, where this is tested', str_contains(file_get_contents(__DIR__ . '/../../../docs/production.md'), $files['commands 0']));
foreach ($parts as $part => $run) {
    $before = $failed;
    $reason = $run();
    echo "$part: ", $reason !== null ? "$reason, so not run" : ($failed > $before ? 'FAILED' : 'ok'), "\n";
}
$has_fpm || print("php-fpm is not installed, so not run: requests\n");
echo count($files), " files and commands of docs/frameworks.md, $checks checks, $failed of them failed\n";
exit($failed || !$checks ? 1 : 0);
