<?php

// A stand-in for the parts of WordPress that the file of docs/frameworks.md uses: its
// hooks, each with the arguments that WordPress passes. With WORDPRESS=folder in the
// environment, the hooks are those of the WordPress in that folder.
//
//     php application.php wp post list

/** A request of WP-CLI's own class. */
final class Runner
{
    public function __construct(public array $arguments)
    {
    }
}

final class WP_CLI
{
    public static function get_runner(): Runner
    {
        return new Runner(array_slice($_SERVER['argv'], 2));
    }
}

if (getenv('WORDPRESS')) {
    define('ABSPATH', getenv('WORDPRESS') . '/');
    define('WPINC', 'wp-includes');
    require ABSPATH . 'wp-includes/plugin.php';
} else {
    $hooks = [];

    function add_filter($name, $callback, $priority = 10, $arguments = 1): bool
    {
        global $hooks;
        $hooks[$name][$priority][] = [$callback, $arguments];
        return true;
    }

    function add_action($name, $callback, $priority = 10, $arguments = 1): bool
    {
        return add_filter($name, $callback, $priority, $arguments);
    }

    function has_action($name): bool
    {
        return isset($GLOBALS['hooks'][$name]);
    }

    function apply_filters($name, $value, ...$more): mixed
    {
        $by_priority = $GLOBALS['hooks'][$name] ?? [];
        ksort($by_priority);
        foreach (array_merge(...$by_priority) as [$callback, $arguments]) {
            $value = $callback(...array_slice([$value, ...$more], 0, $arguments));
        }
        return $value;
    }

    function do_action($name, ...$arguments): void
    {
        // WordPress passes an empty text if it has no value.
        foreach (array_merge(...($GLOBALS['hooks'][$name] ?? [])) as [$callback, $count]) {
            $callback(...array_slice($arguments ?: [''], 0, $count));
        }
    }
}

/** Says which route answered. */
final class WP_REST_Response
{
    public function __construct(private readonly ?string $route)
    {
    }

    public function get_matched_route(): ?string
    {
        return $this->route;
    }
}

function wp_ajax_nopriv_heartbeat(): void
{
}

/** WordPress's default: there the panel of Query Monitor does nothing. */
function wp_get_environment_type(): string
{
    return 'production';
}

function wp_doing_ajax(): bool
{
    return $_SERVER['SCRIPT_NAME'] === '/wp-admin/admin-ajax.php';
}

function wp_doing_cron(): bool
{
    return $_SERVER['SCRIPT_NAME'] === '/wp-cron.php';
}

PHP_SAPI === 'cli' and define('WP_CLI', true);
foreach (glob(__DIR__ . '/wp-content/mu-plugins/*.php') as $file) {
    require $file;
}
if (PHP_SAPI === 'cli') {
    exit("a list\n");
}
$path = strtok($_SERVER['REQUEST_URI'], '?');
if (wp_doing_ajax()) {
    // In this order: WordPress registers its own actions last.
    add_action('wp_ajax_of-a-plugin', fn () => null);
    do_action('admin_init');
    add_action('wp_ajax_nopriv_heartbeat', 'wp_ajax_nopriv_heartbeat');
} elseif (wp_doing_cron()) {
    foreach (explode(' ', $_GET['events']) as $hook) {
        apply_filters('pre_unschedule_event', null, 1700000000, $hook, [], true);
        do_action($hook);
    }
} elseif (str_starts_with($path, '/wp-json/')) {
    define('REST_REQUEST', true);
    if (str_ends_with($path, '/refused')) {
        apply_filters('rest_post_dispatch', new WP_REST_Response('/wp/v2/users/(?P<id>[\d]+)'));
        exit('no');
    }
    apply_filters('rest_dispatch_request', null, new stdClass(), '/wp/v2/posts/(?P<id>[\d]+)/(?P<slug>(?:[a-z]|\.)+)', []);
    // An answer with embedded objects makes further requests.
    apply_filters('rest_dispatch_request', null, new stdClass(), '/wp/v2/users/(?P<id>[\d]+)', []);
    apply_filters('rest_post_dispatch', new WP_REST_Response('/wp/v2/users/(?P<id>[\d]+)'));
} elseif (str_starts_with($path, '/wp-admin/')) {
    do_action('admin_init');
    do_action('current_screen', (object) ['id' => 'edit-post']);
} else {
    if ($path === '/block') {
        $_wp_current_template_id = 'theme//single';
    }
    basename(apply_filters('template_include', '/srv/wp-content/themes/theme/single.php')) === 'single.php' or exit('another template');
}
echo 'body';
