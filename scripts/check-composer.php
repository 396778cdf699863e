<?php

// Usage: php check-composer.php [--options]
//
// Checks the parts of composer.json that PIE reads. With --options, prints the names
// of the options that PIE may pass to configure.

function demand(bool $condition, string $what): void
{
    if (!$condition) {
        fwrite(STDERR, "composer.json: $what\n");
        exit(1);
    }
}

$root = dirname(__DIR__);
try {
    $package = json_decode(file_get_contents("$root/composer.json"), true, 16, JSON_THROW_ON_ERROR);
} catch (JsonException $error) {
    demand(false, $error->getMessage());
}
$settings = $package['php-ext'] ?? [];
$options = $settings['configure-options'] ?? [];
$name = '[a-z0-9]+(?:[_.-][a-z0-9]+)*';
preg_match('/^license = "(.*)"$/m', file_get_contents("$root/Cargo.toml"), $license);

demand(preg_match("{^$name/$name$}", $package['name'] ?? '') === 1, 'name is not vendor/package');
demand(($package['type'] ?? '') === 'php-ext', 'type is not php-ext');
demand(($package['license'] ?? '') === $license[1], 'license is not that of Cargo.toml');
// PIE has no platform package php-64bit, so only the description can say it.
demand(str_contains($package['description'] ?? '', '64-bit PHP'), 'the description does not say: 64-bit PHP');
demand(!isset($package['require']['php-64bit']), 'PIE cannot resolve php-64bit');
demand(isset($package['require']['php']), 'require does not say which PHP');
demand(($settings['extension-name'] ?? '') === 'xhprof', 'extension-name is not xhprof');
foreach ($options as $option) {
    $keys = array_keys($option);
    sort($keys);
    demand($keys === ['description', 'name', 'needs-value'], 'an option has not exactly three keys');
    demand(is_bool($option['needs-value']), 'needs-value is neither true nor false');
}
if (($argv[1] ?? '') === '--options') {
    echo implode("\n", array_column($options, 'name')), "\n";
} else {
    echo "{$package['name']} ({$package['type']}) installs {$settings['extension-name']}\n";
}
