<?php

declare(strict_types=1);

namespace Xhprof\Bridge;

use DebugBar\DataCollector\DataCollector;
use DebugBar\DataCollector\Renderable;
use Xhprof\Profile;
use Xhprof\Profiler;

/**
 * Two tabs of PHP Debug Bar, and so of Laravel's: which functions a request calls, and which SQL statements, with
 * their callers.
 *
 * It profiles from its construction to the moment when the bar collects. Laravel's bar constructs it if
 * `custom_collectors` of `config/debugbar.php` names it, and only while the bar is enabled. What the other
 * collectors do until then is in the profile.
 */
final class DebugbarPanel extends DataCollector implements Renderable
{
    private const TABLE = 'PhpDebugBar.Widgets.TableVariableListWidget';

    private ?Profiler $profiler;
    private ?Profile $profile = null;

    public function __construct()
    {
        $this->profiler = PanelRows::begin(files: true);
    }

    public function getName(): string
    {
        return 'xhprof';
    }

    /** @return array<string, mixed> */
    public function collect(): array
    {
        $this->profile ??= $this->profiler?->stop();
        $this->profiler = null;
        if ($this->profile === null) {
            $why = Profiler::isAvailable() ? 'Another profile was running: of the program, or because of the trigger.' : 'This PHP has no extension xhprof.';
            return ['calls' => 0, 'queries' => 0, 'functions' => ['data' => [$why => '']], 'statements' => ['data' => []]];
        }
        $functions = $statements = [];
        foreach (PanelRows::functions($this->profile) as $row) {
            $functions[$row['name']] = ['own' => self::time($row['self']), 'all' => self::time($row['wall']), 'calls' => $row['calls']]
                + $this->link($row['file'], $row['line']);
        }
        foreach (PanelRows::queries($this->profile) as $row) {
            $callers = array_map(static fn(array $caller): string => "$caller[calls]× $caller[name]", $row['callers']);
            $statements[$row['statement']] = ['count' => $row['count'], 'time' => self::time($row['wall']), 'callers' => implode(', ', $callers)]
                + $this->link($row['callers'][0]['file'], $row['callers'][0]['line']);
        }
        return [
            'calls' => $this->profile->calls(),
            'queries' => $this->profile->queryCount(),
            'functions' => ['key_map' => ['own' => 'Own time', 'all' => 'With callees', 'calls' => 'Calls'], 'data' => $functions],
            'statements' => ['key_map' => ['count' => 'Count', 'time' => 'Time', 'callers' => 'By'], 'data' => $statements],
        ];
    }

    /** @return array<string, array<string, mixed>> */
    public function getWidgets(): array
    {
        return [
            'xhprof' => ['title' => 'XHProf', 'icon' => 'fire', 'widget' => self::TABLE, 'map' => 'xhprof.functions', 'default' => '{}'],
            'xhprof:badge' => ['map' => 'xhprof.calls', 'default' => 0],
            'xhprof_sql' => ['title' => 'XHProf SQL', 'icon' => 'database', 'widget' => self::TABLE, 'map' => 'xhprof.statements', 'default' => '{}'],
            'xhprof_sql:badge' => ['map' => 'xhprof.queries', 'default' => 0],
        ];
    }

    private static function time(int $microseconds): string
    {
        return number_format($microseconds / 1000, 2) . ' ms';
    }

    /**
     * The link to the editor, if the bar has one.
     *
     * @return array{xdebug_link?: array<mixed>}
     */
    private function link(?string $file, int $line): array
    {
        $link = $file !== null && is_file($file) ? $this->getXdebugLink($file, $line) : null;
        return $link === null ? [] : ['xdebug_link' => $link];
    }
}
