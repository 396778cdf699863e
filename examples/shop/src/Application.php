<?php

declare(strict_types=1);

namespace Shop;

use Symfony\Component\EventDispatcher\EventDispatcher;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\RequestStack;
use Symfony\Component\HttpKernel\Controller\ArgumentResolver;
use Symfony\Component\HttpKernel\Controller\ControllerResolver;
use Symfony\Component\HttpKernel\EventListener\RouterListener;
use Symfony\Component\HttpKernel\HttpKernel;
use Symfony\Component\Routing\Matcher\UrlMatcher;
use Symfony\Component\Routing\RequestContext;
use Symfony\Component\Routing\Route;
use Symfony\Component\Routing\RouteCollection;
use Twig\Environment;
use Twig\Loader\FilesystemLoader;

/** Wires the shop together. */
final class Application
{
    private readonly HttpKernel $kernel;

    public function __construct(string $fault)
    {
        $database = new \PDO('sqlite::memory:');
        $articles = new Articles($database);
        $articles->create(25);
        $twig = new Environment(new FilesystemLoader(\dirname(__DIR__) . '/templates'), [
            // Compiled files, as a real shop has them: by these, profiles name the templates.
            'cache' => \dirname(__DIR__) . '/var/cache',
            'auto_reload' => true,
        ]);
        $twig->addExtension(new PriceExtension());
        $page = new ArticlePage($articles, $twig, new PageCache($fault === 'leak'), $fault);
        $routes = new RouteCollection();
        $routes->add('article_list', new Route('/articles', ['_controller' => [$page, 'list']]));
        $events = new EventDispatcher();
        $events->addSubscriber(new RouterListener(new UrlMatcher($routes, new RequestContext()), new RequestStack()));
        $this->kernel = new HttpKernel($events, new ControllerResolver(), new RequestStack(), new ArgumentResolver());
    }

    public function answer(string $path): string
    {
        return (string) $this->kernel->handle(Request::create($path))->getContent();
    }
}
