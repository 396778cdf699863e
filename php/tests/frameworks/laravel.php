<?php

// An application of Laravel's own packages, in one file: Debian's router, Artisan and
// queue worker. check.php puts the providers of docs/frameworks.md beside it, and
// all of them are booted. Debian has no package of Octane: this file defines its two
// events, as Octane publishes them.
//
//     php application.php reports:send | queue | octane

namespace Laravel\Octane\Events {
    class RequestReceived
    {
        public function __construct(public $app, public $sandbox, public $request)
        {
        }
    }

    class RequestTerminated
    {
        public function __construct(public $app, public $sandbox, public $request, public $response)
        {
        }
    }
}

namespace {
    use Illuminate\Console\Command;
    use Illuminate\Container\Container;
    use Illuminate\Contracts\Debug\ExceptionHandler;
    use Illuminate\Events\Dispatcher;
    use Illuminate\Http\Request;
    use Illuminate\Queue\Jobs\SyncJob;
    use Illuminate\Queue\QueueManager;
    use Illuminate\Queue\SyncQueue;
    use Illuminate\Queue\Worker;
    use Illuminate\Queue\WorkerOptions;
    use Illuminate\Routing\Router;
    use Illuminate\Support\Facades\Event;
    use Illuminate\Support\Facades\Facade;
    use Laravel\Octane\Events\RequestReceived;
    use Laravel\Octane\Events\RequestTerminated;

    error_reporting(E_ALL & ~E_DEPRECATED);
    foreach (['Routing', 'Queue', 'Console', 'Events', 'Bus'] as $component) {
        require "Illuminate/$component/autoload.php";
    }
    require __DIR__ . '/messages.php';

    /** The methods that the packages need of an application, besides the container's. */
    final class Application extends Container
    {
        public function runningUnitTests(): bool
        {
            return false;
        }
    }

    /** A job that names its queue, like jobs of real queues. */
    final class Job extends SyncJob
    {
        public function getQueue()
        {
            return $this->queue;
        }
    }

    /** A queue that has its jobs from the beginning. */
    final class Jobs extends SyncQueue
    {
        private array $ids = ['1', '2', '3'];

        public function pop($queue = null)
        {
            $id = array_shift($this->ids);
            return $id === null ? null : new Job($this->container, $this->createPayload(new App\Jobs\SendMail($id), 'mails'), 'memory', 'mails');
        }
    }

    final class SendReports extends Command
    {
        protected $signature = 'reports:send';

        public function handle(): int
        {
            work('7');
            return 0;
        }
    }

    final class Failures implements ExceptionHandler
    {
        public function report(Throwable $e): void
        {
            error_log($e->getMessage());
        }

        public function shouldReport(Throwable $e): bool
        {
            return true;
        }

        public function render($request, Throwable $e)
        {
        }

        public function renderForConsole($output, Throwable $e): void
        {
        }
    }

    function work(string $id): string
    {
        return $id === '3' ? throw new DomainException('the third one fails') : str_repeat('x', (int) $id);
    }

    $app = new Application();
    Container::setInstance($app);
    Facade::setFacadeApplication($app);
    $events = new Dispatcher($app);
    $app->instance('events', $events);
    $app->instance(Illuminate\Contracts\Events\Dispatcher::class, $events);
    $app->instance(Illuminate\Contracts\Container\Container::class, $app);
    $app->instance(Container::class, $app);
    $app->instance('config', ['queue.connections.memory' => ['driver' => 'memory']]);
    $app->bind(Illuminate\Contracts\Bus\Dispatcher::class, fn () => new Illuminate\Bus\Dispatcher($app));
    $router = new Router($events, $app);
    $app->bind(Illuminate\Routing\Contracts\CallableDispatcher::class, fn () => new Illuminate\Routing\CallableDispatcher($app));
    $router->get('articles/{id}', fn (string $id) => work($id));
    foreach (glob(__DIR__ . '/app/Providers/*.php') as $file) {
        require $file;
        $class = 'App\Providers\\' . basename($file, '.php');
        (new $class($app))->boot();
    }

    if (PHP_SAPI !== 'cli') {
        try {
            $router->dispatch(Request::capture())->send();
        } catch (Symfony\Component\HttpKernel\Exception\NotFoundHttpException) {
            http_response_code(404);
        }
    } elseif ($argv[1] === 'queue') {
        $manager = new QueueManager($app);
        $manager->addConnector('memory', fn () => new class {
            public function connect(array $config): Jobs
            {
                return new Jobs();
            }
        });
        $options = new WorkerOptions();
        [$options->stopWhenEmpty, $options->maxTries, $options->sleep] = [true, 1, 0];
        (new Worker($manager, $events, new Failures(), fn () => false))->daemon('memory', 'mails', $options);
    } elseif ($argv[1] === 'octane') {
        foreach ([1, 2, 3] as $id) {
            $request = Request::create("/articles/$id");
            Event::dispatch(new RequestReceived($app, $app, $request));
            try {
                $response = $router->dispatch($request);
            } catch (DomainException $error) {
                error_log($error->getMessage());
                $response = null;
            }
            Event::dispatch(new RequestTerminated($app, $app, $request, $response));
        }
    } else {
        $artisan = new Illuminate\Console\Application($app, $events, '1');
        $artisan->add(new SendReports());
        // Up to Laravel 9 Artisan raises the event itself. Since then the console kernel does, and no package has it.
        if ((new ReflectionMethod($artisan, 'run'))->class !== $artisan::class) {
            require_once 'Symfony/Component/EventDispatcher/autoload.php';
            $dispatcher = new Symfony\Component\EventDispatcher\EventDispatcher();
            $dispatcher->addListener('console.command', fn ($event) => $events->dispatch(
                new Illuminate\Console\Events\CommandStarting($event->getCommand()->getName(), $event->getInput(), $event->getOutput())
            ));
            $artisan->setDispatcher($dispatcher);
        }
        $artisan->run();
    }
}
