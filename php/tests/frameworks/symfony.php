<?php

// An application of Symfony's own packages, in one file: Debian's kernel, router,
// console and Messenger. check.php puts the files of docs/frameworks.md beside it.
// Every subscriber is registered, as autoconfiguration does.
//
//     php application.php app:import | messenger:consume async --limit=3 | serve

use Symfony\Component\Console\Application;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\EventDispatcher\EventDispatcher;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\RequestStack;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\Controller\ArgumentResolver;
use Symfony\Component\HttpKernel\Controller\ControllerResolver;
use Symfony\Component\HttpKernel\EventListener\ErrorListener;
use Symfony\Component\HttpKernel\EventListener\RouterListener;
use Symfony\Component\HttpKernel\Exception\HttpExceptionInterface;
use Symfony\Component\HttpKernel\HttpKernel;
use Symfony\Component\Messenger\Command\ConsumeMessagesCommand;
use Symfony\Component\Messenger\Envelope;
use Symfony\Component\Messenger\Handler\HandlersLocator;
use Symfony\Component\Messenger\MessageBus;
use Symfony\Component\Messenger\Middleware\HandleMessageMiddleware;
use Symfony\Component\Messenger\RoutableMessageBus;
use Symfony\Component\Messenger\Transport\Receiver\ReceiverInterface;
use Symfony\Component\Routing\Matcher\UrlMatcher;
use Symfony\Component\Routing\RequestContext;
use Symfony\Component\Routing\Route;
use Symfony\Component\Routing\RouteCollection;

error_reporting(E_ALL & ~E_DEPRECATED);
foreach (['HttpKernel', 'Routing', 'Console', 'Messenger'] as $component) {
    require "Symfony/Component/$component/autoload.php";
}
require __DIR__ . '/messages.php';
spl_autoload_register(function (string $class): void {
    $file = __DIR__ . '/src/' . strtr(substr($class, strlen('App\\')), '\\', '/') . '.php';
    if (str_starts_with($class, 'App\\') && is_file($file)) {
        require $file;
    }
});

/** A transport that has its messages from the beginning. */
final class Messages implements ReceiverInterface
{
    public function __construct(private array $messages)
    {
    }

    public function get(): iterable
    {
        $message = array_shift($this->messages);
        return $message === null ? [] : [new Envelope($message)];
    }

    public function ack(Envelope $envelope): void
    {
    }

    public function reject(Envelope $envelope): void
    {
    }
}

/** A container of the given services. */
final class Services implements Psr\Container\ContainerInterface
{
    public function __construct(private array $services)
    {
    }

    public function get(string $id): mixed
    {
        return $this->services[$id];
    }

    public function has(string $id): bool
    {
        return isset($this->services[$id]);
    }
}

function work(string $id): string
{
    return $id === '3' ? throw new DomainException('the third one fails') : str_repeat('x', (int) $id);
}

$dispatcher = new EventDispatcher();
foreach (glob(__DIR__ . '/src/EventSubscriber/*.php') as $file) {
    $class = 'App\EventSubscriber\\' . basename($file, '.php');
    $dispatcher->addSubscriber(new $class());
}
if (is_file(__DIR__ . '/web/sites/default/xhprof.php')) {
    require __DIR__ . '/drupal.php';
}
$routes = new RouteCollection();
$routes->add('article_show', new Route('/articles/{id}', ['_controller' => fn (string $id) => new Response(work($id))]));
$stack = new RequestStack();
$dispatcher->addSubscriber(new RouterListener(new UrlMatcher($routes, new RequestContext()), $stack));
$dispatcher->addSubscriber(new ErrorListener(fn (Throwable $exception) => new Response($exception->getMessage(), $exception instanceof HttpExceptionInterface ? $exception->getStatusCode() : 500)));
$kernel = new HttpKernel($dispatcher, new ControllerResolver(), $stack, new ArgumentResolver());

/** Handles one request. */
$answer = function (Request $request) use ($kernel): void {
    $response = $kernel->handle($request);
    PHP_SAPI === 'cli' or $response->send();
    $kernel->terminate($request, $response);
};
if (PHP_SAPI !== 'cli') {
    $answer(Request::createFromGlobals());
} elseif ($argv[1] === 'serve') {
    foreach ([1, 2, 3] as $id) {
        $answer(Request::create("/articles/$id"));
    }
    $answer(Request::create('/nowhere'));
} else {
    $import = new Command('app:import');
    $import->setCode(function (): int {
        work('7');
        return 0;
    });
    $bus = new MessageBus([new HandleMessageMiddleware(new HandlersLocator([
        App\Message\SendMail::class => [fn (App\Message\SendMail $mail) => work($mail->id)],
    ]))]);
    $messages = new Messages(array_map(fn ($id) => new App\Message\SendMail($id), ['1', '2', '3']));
    $application = new Application();
    $application->setDispatcher($dispatcher);
    $application->add($import);
    $application->add(new ConsumeMessagesCommand(new RoutableMessageBus(new Services([]), $bus), new Services(['async' => $messages]), $dispatcher, null, ['async']));
    $application->run();
}
