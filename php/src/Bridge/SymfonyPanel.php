<?php

declare(strict_types=1);

namespace Xhprof\Bridge;

use Symfony\Bundle\FrameworkBundle\DataCollector\AbstractDataCollector;
use Symfony\Component\EventDispatcher\EventSubscriberInterface;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\Event\RequestEvent;
use Symfony\Component\HttpKernel\Event\ResponseEvent;
use Xhprof\Profile;
use Xhprof\Profiler;

/**
 * A panel of Symfony's web profiler: which functions a request calls, and which SQL statements, with their callers.
 *
 * Register it as a service of the environment `dev`, and `php/templates` as the path `Xhprof` of Twig. It profiles every
 * main request from the first event to the response, except for the pages of the web profiler itself. Nothing is
 * written to files but what the web profiler keeps: names, counts, times, and statements without literals.
 */
final class SymfonyPanel extends AbstractDataCollector implements EventSubscriberInterface
{
    private ?Profiler $profiler = null;
    private ?Profile $profile = null;
    private ?Request $request = null;

    public static function getTemplate(): ?string
    {
        return '@Xhprof/panel.html.twig';
    }

    /** @return array<string, array{string, int}> */
    public static function getSubscribedEvents(): array
    {
        // The web profiler begins to collect at -100: that is no part of the request.
        return ['kernel.request' => ['begin', 4095], 'kernel.response' => ['end', -99], 'kernel.terminate' => ['discard', 4095]];
    }

    public function begin(RequestEvent $event): void
    {
        $isOwnPage = preg_match('#^/_(profiler|wdt)(/|$)#', $event->getRequest()->getPathInfo()) === 1;
        if ($this->profiler === null && $event->isMainRequest() && !$isOwnPage) {
            $this->request = $event->getRequest();
            $this->profiler = PanelRows::begin();
        }
    }

    public function end(ResponseEvent $event): void
    {
        if ($this->profiler !== null && $event->getRequest() === $this->request) {
            $this->profile = $this->profiler->stop();
            $this->profiler = null;
        }
    }

    public function collect(Request $request, Response $response, ?\Throwable $exception = null): void
    {
        if ($this->profile === null || $request !== $this->request) {
            $this->data = ['is_profiled' => false, 'has_extension' => Profiler::isAvailable()];
            return;
        }
        $profile = $this->profile;
        $this->profile = $this->request = null;
        $total = $profile->total();
        $this->data = [
            'is_profiled' => true,
            'has_extension' => true,
            'calls' => $profile->calls(),
            'wall' => $total->wall,
            'cpu' => $total->cpu,
            'peak' => $total->peak,
            'functions' => PanelRows::functions($profile),
            'queries' => PanelRows::queries($profile),
            'query_count' => $profile->queryCount(),
            'repeated' => PanelRows::repeated($profile),
        ];
    }

    /** Ends a profile that the web profiler did not collect, such as that of a request without a response. */
    public function discard(): void
    {
        $this->profiler?->stop();
        $this->profiler = $this->profile = $this->request = null;
    }

    public function reset(): void
    {
        $this->discard();
        $this->data = [];
    }

    /**
     * What the template shows: `is_profiled`, `has_extension`, `calls`, `wall`, `cpu`, `peak`, `functions`, `queries`,
     * `query_count`, `repeated`. Times are microseconds.
     *
     * @return array<string, mixed>
     */
    public function getProfile(): array
    {
        return \is_array($this->data) ? $this->data : [];
    }
}
