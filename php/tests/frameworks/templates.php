<?php

// Renders a page with the real Twig or the real Blade, from Debian's packages.
//
//     php application.php twig | blade

use Illuminate\Container\Container;
use Illuminate\Events\Dispatcher;
use Illuminate\Filesystem\Filesystem;
use Illuminate\View\Compilers\BladeCompiler;
use Illuminate\View\Engines\CompilerEngine;
use Illuminate\View\Engines\EngineResolver;
use Illuminate\View\Factory;
use Illuminate\View\FileViewFinder;
use Twig\Environment;
use Twig\Loader\FilesystemLoader;

error_reporting(E_ALL & ~E_DEPRECATED);

function price(int $cents): string
{
    return number_format($cents / 100, 2);
}

/** Writes the templates of a page, with its layout. */
function templates(string $folder, array $texts): void
{
    foreach ($texts as $name => $text) {
        is_dir(dirname("$folder/$name")) || mkdir(dirname("$folder/$name"), 0700, true);
        file_put_contents("$folder/$name", $text);
    }
}

$folder = __DIR__ . '/templates';
if ($argv[1] === 'twig') {
    require 'Twig/autoload.php';
    templates($folder, [
        'layout.html.twig' => "<html>\n{% block body %}{% endblock %}\n</html>\n",
        'shop/page.html.twig' => <<<'TWIG'
            {% extends 'layout.html.twig' %}
            {% import _self as own %}
            {% macro cents(number) %}
                <b>{{ price(number) }}</b>
            {% endmacro %}

            {% block body %}
                {% for number in 1..3 %}{{ own.cents(number) }}{% endfor %}
            {% endblock %}
            TWIG,
    ]);
    $twig = new Environment(new FilesystemLoader($folder), ['cache' => __DIR__ . '/cache']);
    $twig->addFunction(new Twig\TwigFunction('price', 'price'));
    echo $twig->render('shop/page.html.twig');
} else {
    require 'Illuminate/View/autoload.php';
    templates($folder, [
        'layout.blade.php' => "<html>\n@yield('body')\n</html>\n",
        'shop/page.blade.php' => <<<'BLADE'
            @extends('layout')

            @section('body')
            @foreach (array_map(function ($number) {
                return price($number);
            }, [1, 2, 3]) as $price)
            <b>{{ $price }}</b>
            @endforeach
            @endsection
            BLADE,
    ]);
    mkdir(__DIR__ . '/cache');
    $files = new Filesystem();
    $engines = new EngineResolver();
    $engines->register('blade', fn () => new CompilerEngine(new BladeCompiler($files, __DIR__ . '/cache')));
    $views = new Factory($engines, new FileViewFinder($files, [$folder]), new Dispatcher(new Container()));
    Container::getInstance()->instance('view', $views);
    echo $views->make('shop.page')->render();
}
