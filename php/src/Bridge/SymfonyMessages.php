<?php

declare(strict_types=1);

namespace Xhprof\Bridge;

use Symfony\Component\EventDispatcher\EventSubscriberInterface;
use Symfony\Component\Messenger\Event\WorkerMessageFailedEvent;
use Symfony\Component\Messenger\Event\WorkerMessageHandledEvent;
use Symfony\Component\Messenger\Event\WorkerMessageReceivedEvent;

/** Symfony's Messenger: one profile a message, called by its class. Register it as a service. */
final class SymfonyMessages implements EventSubscriberInterface
{
    private ?Job $job = null;

    /** @return array<string, array{string, int}> */
    public static function getSubscribedEvents(): array
    {
        return [
            // Last, when other listeners have decided whether it is handled.
            WorkerMessageReceivedEvent::class => ['begin', -1000],
            WorkerMessageHandledEvent::class => ['end', -1000],
            WorkerMessageFailedEvent::class => ['end', -1000],
        ];
    }

    public function begin(WorkerMessageReceivedEvent $event): void
    {
        if ($this->job === null && $event->shouldHandle()) {
            $this->job = Job::begin($event->getEnvelope()->getMessage()::class, ['transport' => $event->getReceiverName()]);
        }
    }

    public function end(WorkerMessageHandledEvent|WorkerMessageFailedEvent $event): void
    {
        $error = $event instanceof WorkerMessageFailedEvent ? $event->getThrowable() : null;
        $this->job?->end($error?->getPrevious() ?? $error);
        $this->job = null;
    }
}
