<?php

/** Debian's packages; with Composer this is vendor/autoload.php. */

declare(strict_types=1);

set_include_path('/usr/share/php');
foreach (['HttpKernel', 'Routing', 'EventDispatcher'] as $component) {
    require_once "Symfony/Component/$component/autoload.php";
}
require_once 'Twig/autoload.php';
foreach (['Application', 'ArticlePage', 'Articles', 'PriceExtension', 'PageCache'] as $class) {
    require_once __DIR__ . "/src/$class.php";
}
