<?php

declare(strict_types=1);

namespace Xhprof\Bridge;

use Symfony\Component\Console\Event\ConsoleCommandEvent;
use Symfony\Component\EventDispatcher\EventSubscriberInterface;
use Symfony\Component\HttpKernel\Event\ControllerEvent;

/** Symfony, and Drupal: automatic profiles are called by route or command. Register it as a service. */
final class SymfonyRoutes implements EventSubscriberInterface
{
    /** @return array<string, string> */
    public static function getSubscribedEvents(): array
    {
        // The names of the events, so that neither component is needed for the other.
        return ['kernel.controller' => 'onController', 'console.command' => 'onCommand'];
    }

    public function onController(ControllerEvent $event): void
    {
        $route = $event->getRequest()->attributes->get('_route');
        if ($event->isMainRequest() && \is_string($route)) {
            Job::route($route);
        }
    }

    public function onCommand(ConsoleCommandEvent $event): void
    {
        Job::route($event->getCommand()?->getName() ?? 'unknown');
    }
}
