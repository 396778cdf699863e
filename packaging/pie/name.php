<?php

// Usage: php -n name.php VERSION glibc|musl
//
// Prints the name, without ending, of the archive that PIE looks for among the assets of
// a release, for an extension that was built for this PHP. PIE computes the same name in
// src/Platform/PrePackagedBinaryAssetName.php.

function pie_name(string $version, string $php, string $machine, string $libc, bool $debug, bool $zts): string
{
    // PIE calls it arm64, Linux aarch64.
    $architecture = $machine === 'aarch64' ? 'arm64' : $machine;
    return strtolower(sprintf(
        'php_xhprof-%s_php%s-%s-linux-%s%s%s',
        $version,
        $php,
        $architecture,
        $libc,
        $debug ? '-debug' : '',
        $zts ? '-zts' : '',
    ));
}

if (realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__) {
    [, $version, $libc] = $argv;
    $php = PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
    echo pie_name($version, $php, php_uname('m'), $libc, (bool) PHP_DEBUG, (bool) PHP_ZTS), "\n";
}
