<?php

/**
 * Installs WordPress with MariaDB, puts the file of docs/frameworks.md beside it, sends
 * requests by php-fpm, and checks what the profiles are called.
 *
 *     php -n check.php EXTENSION PROGRAM PHP-FPM ROOT FOLDER
 *
 * Below ROOT are Debian's packages, unpacked. FOLDER is empty; the caller removes it.
 * The panel is shown by a stand-in for Query Monitor, or by the plugin in the folder that
 * the environment variable QUERY_MONITOR names.
 */

require __DIR__ . '/../../../php-tests/programs/databases/servers.php';
require __DIR__ . '/../../../php-tests/programs/servers/fpm-server.php';

[, $extension, $program, $fpm, $root, $folder] = $argv;
$site = "$folder/site";

/** Ends with a message. */
function stop(string $why): never
{
    fwrite(STDERR, "$why\n");
    exit(1);
}

/** Debian links files of other packages: they are copied to where WordPress has them. */
function copied(string $root, string $site): void
{
    exec('cp -R ' . escapeshellarg("$root/usr/share/wordpress") . ' ' . escapeshellarg($site), $output, $status);
    $status === 0 || stop('WordPress cannot be copied');
    foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($site, FilesystemIterator::SKIP_DOTS)) as $file) {
        if (is_link($file)) {
            $target = readlink($file);
            $found = str_starts_with($target, '/') ? $root . $target : $root . '/usr/share/wordpress/' . substr(dirname($file), strlen($site) + 1) . "/$target";
            unlink($file);
            is_file($found) && copy($found, $file);
        }
    }
    @unlink("$site/wp-config.php");
}

/** The lines of a php.ini. */
function settings(string $root): string
{
    global $extension, $folder;
    $lines = "extension = $extension\nlog_errors = On\nerror_log = $folder/php.log\ndisplay_errors = Off\nmemory_limit = 256M\n";
    foreach (['mysqlnd', 'mysqli', 'mbstring'] as $module) {
        foreach ([PHP_EXTENSION_DIR, "$root/usr/lib/php/" . basename(PHP_EXTENSION_DIR)] as $directory) {
            if (is_file("$directory/$module.so")) {
                $lines .= "extension = $directory/$module.so\n";
                break;
            }
        }
    }
    return $lines;
}

/** Runs PHP code inside of WordPress, on the command line; returns its output. */
function within(string $code): string
{
    global $folder, $site;
    file_put_contents("$folder/code.php", "<?php \$_SERVER['HTTP_HOST'] = 'shop.test'; $code");
    $process = proc_open([PHP_BINARY, '-c', "$folder/cli.ini", "$folder/code.php", $site], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes, $site, ['PHP_INI_SCAN_DIR' => '/dev/null'] + getenv());
    $output = (string) stream_get_contents($pipes[1]);
    proc_close($process) === 0 || stop("WordPress fails: $output");
    return $output;
}

/** The file of the page that has this path in its first line. */
function documented(string $path): string
{
    preg_match_all('/^```php\n(.*?)^```$/ms', file_get_contents(__DIR__ . '/../../../docs/frameworks.md'), $blocks);
    foreach ($blocks[1] as $block) {
        if (str_starts_with($block, "<?php // $path\n")) {
            return $block;
        }
    }
    stop("docs/frameworks.md has no file $path");
}

copied($root, $site);
foreach (['mariadb', 'files', 'profiles'] as $name) {
    mkdir("$folder/$name");
}
if (is_root()) {
    // MariaDB runs as daemon.
    foreach ([$folder, "$folder/mariadb", "$folder/files"] as $name) {
        chown($name, 'daemon');
    }
    chmod($folder, 0755);
}
$mariadb = start_mariadb($root, $folder);
file_put_contents("$folder/cli.ini", settings($root));
file_put_contents("$site/wp-config.php", <<<PHP
    <?php
    define('DB_NAME', 'wordpress');
    define('DB_USER', 'root');
    define('DB_PASSWORD', '');
    define('DB_HOST', 'localhost:$folder/mariadb.socket');
    define('DB_CHARSET', 'utf8mb4');
    define('DISABLE_WP_CRON', true);
    define('WP_HTTP_BLOCK_EXTERNAL', true);
    define('AUTH_KEY', 'a'); define('LOGGED_IN_KEY', 'b'); define('AUTH_SALT', 'c'); define('LOGGED_IN_SALT', 'd');
    \$table_prefix = 'wp_';
    if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
    require_once ABSPATH . 'wp-settings.php';
    PHP);
within("\$connection = mysqli_connect('localhost', 'root', '', '', 0, '$folder/mariadb.socket'); \$connection->query('CREATE DATABASE wordpress');");
echo within(<<<'PHP'
    define('WP_INSTALLING', true);
    require $argv[1] . '/wp-load.php';
    require ABSPATH . 'wp-admin/includes/upgrade.php';
    function wp_mail() { return true; }
    wp_install('Shop', 'editor', 'editor@shop.test', true, '', 'a password');
    update_option('permalink_structure', '/%year%/%monthnum%/%postname%/');
    echo 'WordPress ', $GLOBALS['wp_version'], " on MariaDB\n";
    PHP);
$cookies = within(<<<'PHP'
    require $argv[1] . '/wp-load.php';
    $wp_rewrite->flush_rules();
    switch_theme('twentytwentyone');
    wp_insert_post(['post_title' => 'An article', 'post_name' => 'an-article', 'post_status' => 'publish', 'post_date' => '2026-01-02 03:04:05']);
    $until = time() + 3600;
    echo AUTH_COOKIE, '=', rawurlencode(wp_generate_auth_cookie(1, $until, 'auth')), '; ', LOGGED_IN_COOKIE, '=', rawurlencode(wp_generate_auth_cookie(1, $until, 'logged_in'));
    PHP);
$theme = fn (string $name) => within("require \$argv[1] . '/wp-load.php'; switch_theme('$name');");
$path = 'wp-content/mu-plugins/xhprof-route.php';
mkdir(dirname("$site/$path"));
file_put_contents("$site/$path", documented($path));
file_put_contents("$folder/fpm.ini", settings($root) . <<<INI
    xhprof.auto_enable = 1
    xhprof.output_dir = $folder/profiles
    xhprof.output_name = "%u.%R.%i"
    INI);

$failed = 0;
/** Sends a request; compares the title of its profile, and what the answer begins with. */
$asked = function (FpmServer $server, string $target, string $script, string $title, string $status, string $cookies = '') use ($site, $folder, $program, &$failed): string {
    $variables = ['REQUEST_URI' => $target, 'SCRIPT_NAME' => "/$script", 'PHP_SELF' => "/$script", 'HTTP_HOST' => 'shop.test', 'SERVER_NAME' => 'shop.test', 'HTTP_COOKIE' => $cookies];
    $answer = FpmServer::answer($server->send("$site/$script", explode('?', $target, 2)[1] ?? '', $variables));
    $found = preg_match('/^Status: (\d+)/m', $answer, $line) === 1 ? $line[1] : '200';
    // wp-cron.php answers first and works then.
    for ($try = 0; ($files = glob("$folder/profiles/*.xhp")) === [] && $try < 600; $try++) {
        usleep(50_000);
    }
    $titles = [];
    foreach ($files as $file) {
        $titles[] = json_decode((string) shell_exec(escapeshellarg($program) . ' report --json --limit 1 ' . escapeshellarg($file)), true)['title'] ?? null;
        unlink($file);
    }
    $is_right = $titles === [$title] && $found === $status;
    $failed += $is_right ? 0 : 1;
    echo $is_right ? 'ok   ' : 'WRONG', " $target: ", implode(', ', $titles), " ($found)", $is_right ? '' : ", instead of $title ($status)", "\n";
    return $answer;
};
$server = new FpmServer($fpm, $folder, [], ini: "$folder/fpm.ini");
$asked($server, '/', 'index.php', 'GET index.php', '200');
$asked($server, '/2026/01/an-article/', 'index.php', 'GET single.php', '200');
$asked($server, '/2026/01/not-there/', 'index.php', 'GET 404.php', '404');
$asked($server, '/?s=article', 'index.php', 'GET search.php', '200');
$asked($server, '/wp-json/wp/v2/posts/1', 'index.php', 'GET /wp/v2/posts/{id}', '200');
$asked($server, '/wp-json/wp/v2/posts/4711', 'index.php', 'GET /wp/v2/posts/{id}', '404');
$asked($server, '/wp-admin/admin-ajax.php?action=heartbeat', 'wp-admin/admin-ajax.php', 'GET ajax heartbeat', '200');
$asked($server, '/wp-admin/admin-ajax.php?action=guess-4711', 'wp-admin/admin-ajax.php', 'GET ajax unknown', '400');
$asked($server, '/wp-admin/edit.php', 'wp-admin/edit.php', 'GET admin edit-post', '200', $cookies);
foreach ([['wp_version_check'], ['wp_version_check', 'wp_scheduled_delete']] as $hooks) {
    // Only these are due; WordPress schedules its own again if they are missing.
    within('$hooks = ' . var_export($hooks, true) . <<<'PHP'
        ;
        require $argv[1] . '/wp-load.php';
        $later = [];
        foreach (_get_cron_array() as $time => $events) {
            $later[$time + 86400] = $events;
        }
        _set_cron_array($later);
        foreach ($hooks as $hook) {
            wp_schedule_single_event(time() - 60, $hook);
        }
        delete_transient('doing_cron');
        PHP);
    $asked($server, '/wp-cron.php', 'wp-cron.php', count($hooks) === 1 ? "GET cron $hooks[0]" : 'GET cron', '200');
}

// The panel of Query Monitor, with a plugin that has callbacks, a statement in a loop, and a closure.
$plugin = fn (string $name, string $text) => mkdir("$site/wp-content/plugins/$name") && file_put_contents("$site/wp-content/plugins/$name/$name.php", $text);
$panel = 'wp-content/mu-plugins/xhprof-panel.php';
file_put_contents("$site/$panel", str_replace("__DIR__ . '/xhprof", var_export(dirname(__DIR__, 2), true) . " . '", file_get_contents(dirname(__DIR__, 2) . '/wordpress/xhprof-panel.php')));
$plugin('shop', <<<'PHP'
    <?php
    /* Plugin Name: Shop */
    function shop_prices() { usleep(20_000); foreach ([1, 2, 3] as $id) { $GLOBALS['wpdb']->get_var("SELECT 'price <$id>'"); } }
    add_action('wp_loaded', 'shop_prices');
    add_filter('the_content', fn ($text) => $text . usleep(10_000));
    PHP);
$monitor = getenv('QUERY_MONITOR');
if ($monitor !== false) {
    exec('cp -R ' . escapeshellarg($monitor) . ' ' . escapeshellarg("$site/wp-content/plugins/query-monitor"), $output, $status);
    $status === 0 || stop("$monitor cannot be copied");
} else {
    $plugin('query-monitor', file_get_contents(__DIR__ . '/../Bridge/query-monitor.php'));
}
within("require \$argv[1] . '/wp-load.php'; update_option('active_plugins', ['query-monitor/query-monitor.php', 'shop/shop.php']); get_role('administrator')->add_cap('view_query_monitor');");
file_put_contents("$site/wp-config.php", str_replace("<?php\n", "<?php\ndefine('WP_ENVIRONMENT_TYPE', 'local');\n", file_get_contents("$site/wp-config.php")));
// The tag of the route is that of the panel's own profile.
$answer = $asked($server, '/2026/01/an-article/', 'index.php', 'GET /?/?/an-article/', '200', $cookies);
$shown = [
    'the panel is in the menu' => '{XHProf}',
    'the plugin has its time' => '{<td class="qm-num">[3-9]\d\.\d\d ms</td><td><code>plugin shop</code>}',
    'WordPress has, too' => '{<code>WordPress</code>}',
    'a hook has its time' => '{<td class="qm-num">[2-9]\d\.\d\d ms</td><td class="qm-num">\d+</td><td><code>wp_loaded</code><br>[^/]*[\d.]+ ms shop_prices}',
    'and that of a closure' => '{<code>the_content</code>.*?\{closure:shop/shop\.php:5\}}s',
    'statements have callers, and no literals' => '{<td class="qm-num">3</td><td class="qm-num">[\d.]+ ms</td><td><code>SELECT \?</code><br>[^/]*3× by wpdb::}',
];
foreach ($shown as $what => $pattern) {
    $is_right = preg_match($pattern, $answer) === 1;
    $failed += $is_right ? 0 : 1;
    echo $is_right ? 'ok   ' : 'WRONG', " Query Monitor's panel: $what\n";
}
$is_shown = $shown === array_filter($shown, fn ($pattern) => preg_match($pattern, $answer) === 1);
$is_shown || print(substr(strstr($answer, 'id="qm-xhprof"') ?: 'there is no panel', 0, 4_000) . "\n");
within("require \$argv[1] . '/wp-load.php'; update_option('active_plugins', []);");
unlink("$site/$panel");
$theme('twentytwentythree');
$version = within("require \$argv[1] . '/wp-load.php'; echo \$wp_version;");
// Block templates have a name since 6.3.
$asked($server, '/2026/01/an-article/', 'index.php', version_compare($version, '6.3', '<') ? 'GET template-canvas.php' : 'GET twentytwentythree//single', '200');
$server->stop(3);
$mariadb->stop();
$log = (string) @file_get_contents("$folder/php.log");
preg_match_all('/^.*(?:xhprof|Fatal).*$/mi', $log, $lines);
foreach ($lines[0] as $line) {
    $failed++;
    echo "the log says: $line\n";
}
exit($failed > 0 ? 1 : 0);
