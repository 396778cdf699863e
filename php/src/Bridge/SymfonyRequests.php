<?php

declare(strict_types=1);

namespace Xhprof\Bridge;

use Symfony\Component\EventDispatcher\EventSubscriberInterface;
use Symfony\Component\HttpKernel\Event\RequestEvent;
use Symfony\Component\HttpKernel\Event\TerminateEvent;

/** Symfony on RoadRunner, FrankenPHP or Swoole: one profile a request of a worker. Not for php-fpm. */
final class SymfonyRequests implements EventSubscriberInterface
{
    private ?Job $job = null;

    /** @return array<string, array{string, int}> */
    public static function getSubscribedEvents(): array
    {
        return ['kernel.request' => ['begin', 4096], 'kernel.terminate' => ['end', -4096]];
    }

    public function begin(RequestEvent $event): void
    {
        if ($this->job === null && $event->isMainRequest()) {
            $this->job = Job::begin();
        }
    }

    public function end(TerminateEvent $event): void
    {
        if ($this->job !== null) {
            $route = $event->getRequest()->attributes->get('_route');
            Job::route($event->getRequest()->getMethod() . ' ' . (\is_string($route) ? $route : 'none'));
            xhprof_tag('code', (string) $event->getResponse()->getStatusCode());
            $this->job->end();
            $this->job = null;
        }
    }
}
