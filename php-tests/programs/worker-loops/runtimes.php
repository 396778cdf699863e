<?php

// Stands in for the runtimes of the loops in docs/workers.md: three requests each;
// the last one throws.

namespace {
    /** A job of queue.php. */
    final class SendMail
    {
        public function __construct(public readonly string $id)
        {
        }

        public function handle(): void
        {
            work((int) $this->id);
        }
    }

    function next_job(): ?SendMail
    {
        static $number = 0;
        return ++$number > count(REQUESTS) ? null : new SendMail("$number");
    }

    const REQUESTS = ['/articles/1', '/articles/2', '/articles/3'];

    /** The third one fails. */
    function work(int $number): string
    {
        return $number === 3 ? throw new RuntimeException('the third one fails') : str_repeat('x', $number);
    }

    /** A router of a framework. */
    function match_route(string $path): array
    {
        $number = (int) basename($path);
        return ['/articles/{id}', fn () => work($number)];
    }

    /** FrankenPHP's, in worker mode. */
    function frankenphp_handle_request(callable $handler): bool
    {
        static $number = 0;
        $_SERVER['REQUEST_METHOD'] = 'GET';
        $_SERVER['REQUEST_URI'] = REQUESTS[$number] . '?page=7';
        try {
            $handler();
        } catch (Throwable $error) {
            error_log($error->getMessage());
        }
        return ++$number < count(REQUESTS);
    }

    /** Octane's loop. */
    function serve(): void
    {
        foreach (REQUESTS as $path) {
            $request = new Runtimes\Request($path);
            Illuminate\Support\Facades\Event::dispatch(new Laravel\Octane\Events\RequestReceived($request));
            try {
                match_route($path)[1]();
            } catch (Throwable $error) {
                error_log($error->getMessage());
            }
            Illuminate\Support\Facades\Event::dispatch(new Laravel\Octane\Events\RequestTerminated($request));
        }
    }
}

namespace Runtimes {
    /** A request of PSR-7, Swoole and Laravel. */
    final class Request
    {
        public array $server;

        public function __construct(private readonly string $path)
        {
            $this->server = ['request_uri' => $path, 'request_method' => 'GET'];
        }

        public function getMethod(): string
        {
            return 'GET';
        }

        public function method(): string
        {
            return 'GET';
        }

        public function getUri(): self
        {
            return $this;
        }

        public function getPath(): string
        {
            return $this->path;
        }

        public function route(): self
        {
            return $this;
        }

        public function uri(): string
        {
            return '/articles/{id}';
        }
    }

    final class Response
    {
        public function end(string $body): void
        {
        }
    }
}

namespace Nyholm\Psr7\Factory {
    final class Psr17Factory
    {
    }
}

namespace Spiral\RoadRunner {
    final class Worker
    {
        public static function create(): self
        {
            return new self();
        }

        public function error(string $error): void
        {
            error_log(strtok($error, "\n"));
        }
    }
}

namespace Spiral\RoadRunner\Http {
    use Runtimes\Request;
    use Spiral\RoadRunner\Worker;

    final class PSR7Worker
    {
        private array $paths = REQUESTS;

        public function __construct(private readonly Worker $worker)
        {
        }

        public function waitRequest(): ?Request
        {
            $path = array_shift($this->paths);
            return $path === null ? null : new Request($path);
        }

        public function respond(string $response): void
        {
        }

        public function getWorker(): Worker
        {
            return $this->worker;
        }
    }
}

namespace Swoole\Http {
    use Runtimes\Request;
    use Runtimes\Response;

    final class Server
    {
        private array $handlers = [];

        public function __construct(string $host, int $port)
        {
        }

        public function set(array $settings): void
        {
        }

        public function on(string $event, callable $handler): void
        {
            $this->handlers[$event] = $handler;
        }

        public function start(): void
        {
            foreach (REQUESTS as $path) {
                try {
                    $this->handlers['request'](new Request($path), new Response());
                } catch (\Throwable $error) {
                    error_log($error->getMessage());
                }
            }
        }
    }
}

namespace Laravel\Octane\Events {
    use Runtimes\Request;

    final class RequestReceived
    {
        public function __construct(public readonly Request $request)
        {
        }
    }

    final class RequestTerminated
    {
        public function __construct(public readonly Request $request)
        {
        }
    }
}

namespace Illuminate\Support\Facades {
    final class Event
    {
        private static array $listeners = [];

        public static function listen(string $class, callable $listener): void
        {
            self::$listeners[$class] = $listener;
        }

        public static function dispatch(object $event): void
        {
            self::$listeners[$event::class]($event);
        }
    }
}
