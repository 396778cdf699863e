<?php

// An application of Symfony's framework with the real web profiler, from Debian's
// packages, and the panel of php/src/Bridge/SymfonyPanel.php.
//
//     php application.php panel        requests two pages, and prints their panels

use Symfony\Bundle\FrameworkBundle\FrameworkBundle;
use Symfony\Bundle\FrameworkBundle\Kernel\MicroKernelTrait;
use Symfony\Bundle\TwigBundle\TwigBundle;
use Symfony\Bundle\WebProfilerBundle\WebProfilerBundle;
use Symfony\Component\DependencyInjection\Loader\Configurator\ContainerConfigurator;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\Kernel as BaseKernel;
use Symfony\Component\Routing\Loader\Configurator\RoutingConfigurator;

error_reporting(E_ALL & ~E_DEPRECATED);
require 'Symfony/Bundle/WebProfilerBundle/autoload.php';
require_once 'Symfony/Component/Yaml/autoload.php';
require getenv('XHPROF_PACKAGE') . '/autoload.php';

/** Symfony 6 asks Composer which packages are there; Debian's are there without it. */
final class Installed
{
    public static function isInstalled(): bool
    {
        return false;
    }
}

class_exists('Composer\InstalledVersions') || class_alias(Installed::class, 'Composer\InstalledVersions');

/** Makes the same statement for each article. */
final class Articles
{
    public function __construct(private readonly \PDO $database = new \PDO('sqlite::memory:'))
    {
    }

    public function find(int $id): string
    {
        return (string) $this->database->query("SELECT 'article <$id>'")->fetchColumn();
    }
}

final class Kernel extends BaseKernel
{
    use MicroKernelTrait;

    public function registerBundles(): iterable
    {
        return [new FrameworkBundle(), new TwigBundle(), new WebProfilerBundle()];
    }

    public function getProjectDir(): string
    {
        return __DIR__;
    }

    protected function configureContainer(ContainerConfigurator $container): void
    {
        $container->extension('framework', [
            'secret' => 'for a test', 'test' => true, 'router' => ['utf8' => true],
            'profiler' => ['enabled' => true, 'collect' => true], 'php_errors' => ['log' => false],
        ]);
        $container->extension('web_profiler', ['toolbar' => true]);
        $container->import(__DIR__ . '/xhprof.yaml');
    }

    protected function configureRoutes(RoutingConfigurator $routes): void
    {
        $routes->import('@WebProfilerBundle/Resources/config/routing/wdt.xml')->prefix('/_wdt');
        $routes->import('@WebProfilerBundle/Resources/config/routing/profiler.xml')->prefix('/_profiler');
        $routes->add('article_list', '/articles/{count}')->controller([$this, 'list']);
    }

    public function list(int $count): Response
    {
        $articles = new Articles();
        return new Response('<html><body>' . implode(' ', array_map($articles->find(...), $count > 0 ? range(1, $count) : [])) . '</body></html>');
    }
}

$kernel = new Kernel('dev', true);
$answer = function (string $path) use ($kernel): Response {
    $request = Request::create($path);
    $response = $kernel->handle($request);
    $kernel->terminate($request, $response);
    return $response;
};
foreach ([5, 0] as $count) {
    $response = $answer("/articles/$count");
    $token = $response->headers->get('X-Debug-Token');
    $panel = $answer("/_profiler/$token?panel=" . urlencode(Xhprof\Bridge\SymfonyPanel::class));
    $toolbar = $answer("/_wdt/$token");
    echo json_encode([
        'status' => $panel->getStatusCode(),
        'own' => $panel->headers->has('X-Debug-Token'),
        'panel' => $panel->getContent(),
        'toolbar' => $toolbar->getContent(),
    ], JSON_THROW_ON_ERROR), "\n";
}
