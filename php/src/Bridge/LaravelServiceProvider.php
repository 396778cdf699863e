<?php

declare(strict_types=1);

namespace Xhprof\Bridge;

use Illuminate\Console\Events\CommandStarting;
use Illuminate\Queue\Events\JobExceptionOccurred;
use Illuminate\Queue\Events\JobProcessed;
use Illuminate\Queue\Events\JobProcessing;
use Illuminate\Routing\Events\RouteMatched;
use Illuminate\Support\ServiceProvider;

/**
 * Laravel: automatic profiles are called by route or command; one profile a job of a queue, and one a request of
 * Octane. Add it to `bootstrap/providers.php`.
 */
final class LaravelServiceProvider extends ServiceProvider
{
    private ?Job $job = null;

    public function boot(): void
    {
        if (!\function_exists('xhprof_write')) {
            return;
        }
        $events = $this->app['events'];
        // Not the route's name: `artisan route:cache` invents names for routes that have none.
        $events->listen(RouteMatched::class, static fn(RouteMatched $event) => Job::route($event->route->uri()));
        $events->listen(CommandStarting::class, static fn(CommandStarting $event) => Job::route($event->command ?? 'list'));
        $events->listen(JobProcessing::class, function (JobProcessing $event): void {
            // A job of the connection "sync" is part of the request or job that dispatched it.
            if ($event->connectionName !== 'sync') {
                $this->job ??= Job::begin($event->job->resolveName(), ['queue' => (string) $event->job->getQueue()]);
            }
        });
        $events->listen([JobProcessed::class, JobExceptionOccurred::class], function (object $event): void {
            if ($event->connectionName !== 'sync') {
                $this->end($event instanceof JobExceptionOccurred ? $event->exception : null);
            }
        });
        // By name: without Octane the classes do not exist.
        $events->listen('Laravel\Octane\Events\RequestReceived', function (): void {
            $this->job ??= Job::begin();
        });
        $events->listen('Laravel\Octane\Events\RequestTerminated', function (object $event): void {
            if ($this->job !== null) {
                Job::route($event->request->method() . ' ' . ($event->request->route()?->uri() ?? 'none'));
                $this->end(null);
            }
        });
    }

    private function end(?\Throwable $error): void
    {
        $this->job?->end($error);
        $this->job = null;
    }
}
