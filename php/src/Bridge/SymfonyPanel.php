<?php

declare(strict_types=1);

namespace Xhprof\Bridge;

use Symfony\Bundle\FrameworkBundle\DataCollector\AbstractDataCollector;
use Symfony\Component\EventDispatcher\EventSubscriberInterface;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\Event\RequestEvent;
use Symfony\Component\HttpKernel\Event\ResponseEvent;
use Xhprof\Call;
use Xhprof\Cost;
use Xhprof\Location;
use Xhprof\Options;
use Xhprof\Profile;
use Xhprof\Profiler;
use Xhprof\Query;

/**
 * A panel of Symfony's web profiler: which functions a request calls, and which SQL statements, with their callers.
 *
 * Register it as a service of the environment `dev`, and `php/templates` as the path `Xhprof` of Twig. It profiles every
 * main request from the first event to the response, except for the pages of the web profiler itself. Nothing is
 * written to files but what the web profiler keeps: names, counts, times, and statements without literals.
 */
final class SymfonyPanel extends AbstractDataCollector implements EventSubscriberInterface
{
    private const SHOWN = 30;

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
        if ($this->profiler !== null || !$event->isMainRequest() || $isOwnPage || !Profiler::isAvailable()) {
            return;
        }
        $status = xhprof_status();
        if ($status['mode'] === 'off' || $status['automatic']) {
            $this->request = $event->getRequest();
            $this->profiler = Profiler::start(new Options(cpu: true));
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
            'functions' => self::functions($profile),
            'queries' => array_map(self::query(...), \array_slice($profile->queries(), 0, self::SHOWN)),
            'query_count' => $profile->queryCount(),
            'repeated' => max([0, ...array_map(static fn(Query $query): int => $query->repeated(), $profile->queries())]),
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

    /**
     * The functions with the greatest own time.
     *
     * @return list<array{name: string, file: ?string, line: int, calls: int, self: int, wall: int}>
     */
    private static function functions(Profile $profile): array
    {
        $functions = $profile->functions();
        $own = array_map(static fn(Cost $cost): int => $cost->wall, $functions);
        foreach ($profile->callers('*') as $call) {
            if (isset($own[$call->caller])) {
                $own[$call->caller] -= $call->cost->wall;
            }
        }
        arsort($own);
        $rows = [];
        foreach (\array_slice($own, 0, self::SHOWN, true) as $name => $wall) {
            $location = Location::of((string) $name);
            $rows[] = [
                'name' => (string) $name,
                'file' => $location?->file,
                'line' => $location->line ?? 0,
                'calls' => $functions[$name]->calls,
                'self' => $wall,
                'wall' => $functions[$name]->wall,
            ];
        }
        return $rows;
    }

    /** @return array{statement: string, count: int, repeated: int, wall: int, callers: list<array{name: string, calls: int, file: ?string, line: int}>} */
    private static function query(Query $query): array
    {
        return [
            'statement' => $query->statement,
            'count' => $query->count(),
            'repeated' => $query->repeated(),
            'wall' => array_sum(array_map(static fn(Call $call): int => $call->cost->wall, $query->calls)),
            'callers' => array_map(static function (Call $call): array {
                $location = Location::of($call->caller);
                return ['name' => $call->caller, 'calls' => $call->cost->calls, 'file' => $location?->file, 'line' => $location->line ?? 0];
            }, \array_slice($query->calls, 0, 5)),
        ];
    }
}
