<?php

/**
 * A shop with one page, on Symfony's kernel, Twig and SQLite.
 *
 *     php shop.php [REQUESTS]
 *
 * The environment variable SHOP_FAULT switches a fault on: n+1, leak or template.
 */

declare(strict_types=1);

require __DIR__ . '/autoload.php';

$application = new Shop\Application((string) getenv('SHOP_FAULT'));
for ($number = 0; $number < (int) ($argv[1] ?? 1); $number++) {
    $answer = $application->answer('/articles');
}
echo $answer ?? '';
