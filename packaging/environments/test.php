<?php

/**
 * Checks the files that users copy into their development environments: they are YAML, JSON or ini, have the keys
 * that their readers know, and each file, setting and option that they name exists. docs/environments.md.
 *
 *     php packaging/environments/test.php       (from the top of the repository)
 */

set_include_path('/usr/share/php');
require 'Symfony/Component/Yaml/autoload.php';

use Symfony\Component\Yaml\Yaml;

$folder = __DIR__;
$checks = $failed = 0;

function check(string $what, bool $is_right): void
{
    global $checks, $failed;
    $checks++;
    if (!$is_right) {
        $failed++;
        echo "packaging/environments: $what\n";
    }
}

/** Whether a project's path is there: `xhprof/` has these files, those of a release, and the folder php/. */
function is_in_project(string $path): bool
{
    global $folder;
    $path = preg_replace('#^(\./|\.\./|wp-content/)?xhprof/?#', '', $path, 1, $is_of_xhprof);
    $path = $path === 'install.sh' ? '../install.sh' : preg_replace('#^php(/|$)#', '../../php$1', $path);
    return $is_of_xhprof === 1 && file_exists("$folder/$path");
}

/** @param array<mixed> $value */
function keys(string $what, array $value, string ...$known): void
{
    foreach (array_diff(array_keys($value), $known) as $key) {
        check("$what: $key is no key of its reader", false);
    }
}

/** A command of a Dockerfile or a hook: the shell accepts it, and so does install.sh. */
function command(string $what, string $command): void
{
    exec('sh -n -c ' . escapeshellarg($command) . ' 2>&1', $output, $status);
    check("$what: the shell says: " . implode("\n", $output), $status === 0);
    $known = preg_match_all('/^    (--[a-z |-]+)\)/m', file_get_contents(__DIR__ . '/../install.sh'), $found) ? preg_split('/ \| /', implode(' | ', $found[1])) : [];
    check("$what: it runs install.sh", preg_match('#install\.sh ((?:--\w+ (?:"[^"]*"|\S+) ?)+)&&#', $command, $call) === 1);
    preg_match_all('/--(\w+) ("[^"]*"|\S+)/', $call[1] ?? '', $options, PREG_SET_ORDER);
    foreach ($options as [, $option, $value]) {
        check("$what: install.sh has no --$option", in_array("--$option", $known, true));
        $path = str_replace('/tmp/', '', $value);
        check("$what: there is no $value", $option === 'php' || is_in_project($path));
    }
    check("$what: the folder of the profiles is made", str_contains($command, parse_ini_file(__DIR__ . '/development.ini')['xhprof.output_dir']));
}

$dockerfile = file_get_contents("$folder/Dockerfile");
check('Dockerfile: it begins with a base', preg_match('/^ARG BASE=\S+\nFROM \$\{BASE\}$/m', $dockerfile) === 1);
preg_match('/^RUN (?:--mount=\S+ )*(.*)$/m', $dockerfile, $run);
command('Dockerfile', $run[1] ?? '');

$volumes = fn (array $compose) => array_map(fn ($volume) => explode(':', $volume), array_merge(...array_column($compose['services'], 'volumes')));
foreach (['compose.yaml', 'sail.yaml'] as $name) {
    $compose = Yaml::parseFile("$folder/$name");
    keys($name, $compose, 'services', 'volumes');
    foreach ($compose['services'] as $service => $settings) {
        keys("$name: $service", $settings, 'image', 'build', 'volumes');
        keys("$name: $service: build", $settings['build'], 'context', 'args');
        check("$name: {$settings['build']['context']} has a Dockerfile", is_in_project($settings['build']['context'] . '/Dockerfile'));
        foreach (array_keys($settings['build']['args']) as $argument) {
            check("$name: the Dockerfile has no $argument", str_contains($dockerfile, "ARG $argument="));
        }
    }
    foreach ($volumes($compose) as [$from, $to]) {
        check("$name: there is no volume $from", $from === '.' || array_key_exists($from, $compose['volumes']));
    }
    check("$name: the profiles outlive the container", in_array(['profiles', parse_ini_file("$folder/development.ini")['xhprof.output_dir']], $volumes($compose), true));
}

$addon = Yaml::parseFile("$folder/ddev/install.yaml");
keys('ddev', $addon, 'name', 'ddev_version_constraint', 'pre_install_actions', 'project_files', 'removal_actions');
foreach ($addon['project_files'] as $file) {
    check("ddev: there is no $file", is_file("$folder/ddev/$file"));
    check("ddev: $file says that ddev may replace it", str_contains((string) @file_get_contents("$folder/ddev/$file"), '#ddev-generated'));
}
foreach ([...$addon['pre_install_actions'], ...$addon['removal_actions']] as $action) {
    exec('sh -n -c ' . escapeshellarg($action) . ' 2>&1', $output, $status);
    check("ddev: an action: " . implode("\n", $output), $status === 0);
}
preg_match('/^RUN (.*)$/m', file_get_contents("$folder/ddev/web-build/Dockerfile.xhprof-rs"), $run);
command('ddev', $run[1] ?? '');

$wordpress = json_decode(file_get_contents("$folder/wp-env.json"), true, 16, JSON_THROW_ON_ERROR);
keys('wp-env', $wordpress, 'phpVersion', 'plugins', 'mappings', 'lifecycleScripts');
foreach ($wordpress['mappings'] as $path) {
    check("wp-env: there is no $path", is_in_project($path));
}
check('wp-env: its hook is one command', preg_match("#^wp-env run wordpress -- sudo sh -c '([^']*)'$#", $wordpress['lifecycleScripts']['afterStart'], $run) === 1);
command('wp-env', $run[1] ?? '');

$container = json_decode(file_get_contents("$folder/devcontainer.json"), true, 16, JSON_THROW_ON_ERROR);
keys('devcontainer', $container, 'name', 'build', 'remoteUser', 'customizations');
foreach (['context', 'dockerfile'] as $key) {
    check("devcontainer: there is no {$container['build'][$key]}", is_in_project($container['build'][$key]));
}
foreach (array_keys($container['customizations']['vscode']['settings']) as $setting) {
    $known = json_decode(file_get_contents("$folder/../../editors/vscode/package.json"), true)['contributes']['configuration']['properties'];
    check("devcontainer: the extension for VS Code has no setting $setting", isset($known[$setting]));
}

$documented = file_get_contents("$folder/../../docs/settings.md");
foreach (array_keys(parse_ini_file("$folder/development.ini")) as $setting) {
    check("development.ini: $setting is no setting", $setting === 'extension' || str_contains($documented, "| `$setting` |"));
}
$page = file_get_contents("$folder/../../docs/environments.md");
foreach (glob("$folder/{*,ddev/*,ddev/web-build/*}", GLOB_BRACE) as $file) {
    $name = substr($file, strlen($folder) + 1);
    check("docs/environments.md does not name $name", is_dir($file) || $name === 'test.php' || str_contains($page, basename($name)));
}
echo "$checks checks of packaging/environments, $failed of them failed\n";
exit($failed || !$checks ? 1 : 0);
