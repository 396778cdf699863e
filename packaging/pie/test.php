<?php

// Usage: php -n test.php [ARCHIVE…]
//
// Compares our names with those that PIE computes, and checks that composer.json asks for
// them. The expected names are written from php/pie at 827cefb192cec70ea35361adcad2a40074956c4f,
// src/Platform/PrePackagedBinaryAssetName.php, and its test: "php_foobar-1.2.3_php8.2-x86_64-linux-glibc.zip".

require __DIR__ . '/name.php';

$failed = 0;

function same(string $what, mixed $expected, mixed $actual): void
{
    global $failed;
    if ($expected !== $actual) {
        $failed++;
        echo "FAILED: $what\n  expected ", json_encode($expected), "\n  found    ", json_encode($actual), "\n";
    }
}

$names = [
    'php_xhprof-1.2.3_php8.2-x86_64-linux-glibc' => ['1.2.3', '8.2', 'x86_64', 'glibc', false, false],
    'php_xhprof-1.2.3_php8.4-arm64-linux-musl-zts' => ['1.2.3', '8.4', 'aarch64', 'musl', false, true],
    'php_xhprof-1.2.3_php8.3-x86_64-linux-glibc-debug' => ['1.2.3', '8.3', 'x86_64', 'glibc', true, false],
    'php_xhprof-1.2.3_php8.5-x86_64-linux-musl-debug-zts' => ['1.2.3', '8.5', 'x86_64', 'musl', true, true],
    // The version is Composer's pretty version: the tag, in lower case.
    'php_xhprof-1.0.0-rc1_php8.2-x86_64-linux-glibc' => ['1.0.0-RC1', '8.2', 'x86_64', 'glibc', false, false],
];
foreach ($names as $name => $arguments) {
    same("the name of $name", $name, pie_name(...$arguments));
}

$composer = json_decode(file_get_contents(dirname(__DIR__, 2) . '/composer.json'), true, 16, JSON_THROW_ON_ERROR);
same(
    "PIE tries the assets first, then the sources (php-ext, download-url-method)",
    ['pre-packaged-binary', 'composer-default'],
    $composer['php-ext']['download-url-method'] ?? null,
);

// PIE takes EXTENSION.so from the root of the archive.
foreach (array_slice($argv, 1) as $archive) {
    $members = [];
    exec((str_ends_with($archive, '.zip') ? 'python3 -m zipfile -l ' : 'tar -tzf ') . escapeshellarg($archive), $members, $status);
    same("$archive can be read", 0, $status);
    same("$archive has xhprof.so at its root", 1, count(preg_grep('/^xhprof\.so( |$)/', $members)));
}

echo count($names), ' names and ', $argc - 1, " archives, $failed of them with a failure\n";
exit($failed === 0 ? 0 : 1);
