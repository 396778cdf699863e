<?php

declare(strict_types=1);

namespace Xhprof\Bridge;

use Xhprof\Call;
use Xhprof\Cost;
use Xhprof\Location;
use Xhprof\Options;
use Xhprof\Profile;
use Xhprof\Profiler;
use Xhprof\Query;

/**
 * What the panels of Symfony, Debugbar and Query Monitor have in common: a profile of the request, and its rows.
 * Times are microseconds.
 *
 * @internal
 */
final class PanelRows
{
    public const SHOWN = 30;

    /**
     * Begins a profile; null without the extension, if the program itself has begun one, and if this request has the
     * trigger: its profile is a file, and must not lack what a panel shows. That of `xhprof.auto_enable = 1` is suspended.
     *
     * @param bool $files as {@see Options::$files}
     */
    public static function begin(bool $files = false): ?Profiler
    {
        if (!Profiler::isAvailable()) {
            return null;
        }
        $status = xhprof_status();
        $isFree = $status['mode'] === 'off' || ($status['automatic'] && \ini_get('xhprof.auto_enable') === '1');
        return $isFree ? Profiler::start(new Options(cpu: true, files: $files)) : null;
    }

    /**
     * The time of each function without what it calls, the greatest first.
     *
     * @return array<string, int> by name
     */
    public static function ownTimes(Profile $profile): array
    {
        $own = array_map(static fn(Cost $cost): int => $cost->wall, $profile->functions());
        foreach ($profile->callers('*') as $call) {
            if (isset($own[$call->caller])) {
                $own[$call->caller] -= $call->cost->wall;
            }
        }
        arsort($own);
        return $own;
    }

    /**
     * The functions with the greatest own time.
     *
     * @return list<array{name: string, file: ?string, line: int, calls: int, self: int, wall: int}>
     */
    public static function functions(Profile $profile): array
    {
        $functions = $profile->functions();
        $rows = [];
        foreach (\array_slice(self::ownTimes($profile), 0, self::SHOWN, true) as $name => $wall) {
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

    /**
     * The SQL statements that were made most often, with their callers.
     *
     * @return list<array{statement: string, count: int, repeated: int, wall: int, callers: list<array{name: string, calls: int, file: ?string, line: int}>}>
     */
    public static function queries(Profile $profile): array
    {
        return array_map(self::query(...), \array_slice($profile->queries(), 0, self::SHOWN));
    }

    /** The most calls of one statement by one caller. */
    public static function repeated(Profile $profile): int
    {
        return max([0, ...array_map(static fn(Query $query): int => $query->repeated(), $profile->queries())]);
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
