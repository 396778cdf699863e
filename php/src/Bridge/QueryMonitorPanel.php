<?php

declare(strict_types=1);

namespace Xhprof\Bridge;

use Xhprof\Cost;
use Xhprof\Location;
use Xhprof\Profile;
use Xhprof\Profiler;

/**
 * A panel of Query Monitor, for WordPress: time by plugin and by hook, SQL statements with their callers, functions.
 *
 * A must-use file calls {@see register()}. It profiles from there to the action `shutdown`, except where
 * WP_ENVIRONMENT_TYPE is `production`, which is WordPress's default, and where Query Monitor shows nothing. Nothing is
 * written to files.
 */
final class QueryMonitorPanel
{
    private const PHP = 'PHP';

    private ?Profiler $profiler = null;
    private ?Profile $profile = null;

    private function __construct()
    {
    }

    /** Begins the profile of this request, and adds the panel. */
    public static function register(): void
    {
        if (PHP_SAPI === 'cli' || wp_doing_cron() || wp_get_environment_type() === 'production') {
            return;
        }
        $panel = new self();
        // Query Monitor works on that action, too: this is no part of the request.
        add_action('shutdown', $panel->end(...), PHP_INT_MIN);
        // Query Monitor's classes are loaded by then: plugins come after must-use files.
        add_filter('qm/collectors', static fn(array $collectors): array => $collectors + ['xhprof' => new class extends \QM_Collector {
            public $id = 'xhprof';
        }], 20);
        add_filter('qm/outputter/html', $panel->withOutput(...), 120);
        $panel->profiler = PanelRows::begin();
    }

    /**
     * The time by plugin, theme and WordPress itself, the greatest first: with what they call of PHP, without what they
     * call of each other.
     *
     * @return array<string, int> microseconds
     */
    public static function byPlugin(Profile $profile): array
    {
        $callers = [];
        foreach ($profile->callers('*') as $call) {
            $callers[$call->callee][$call->caller] = ($callers[$call->callee][$call->caller] ?? 0) + $call->cost->wall;
        }
        $sums = [];
        $parts = ['main()' => 'other code'];
        foreach (PanelRows::ownTimes($profile) as $function => $time) {
            $part = $parts[$function] = self::part((string) $function);
            if ($part !== self::PHP) {
                $sums[$part] = ($sums[$part] ?? 0) + $time;
                continue;
            }
            // Each caller has the share that it called.
            $all = max(1, array_sum($callers[$function]));
            foreach ($callers[$function] as $caller => $wall) {
                $part = $parts[$caller] ??= self::part((string) $caller);
                $sums[$part] = ($sums[$part] ?? 0) + (int) round($time * $wall / $all);
            }
        }
        arsort($sums);
        return $sums;
    }

    /**
     * The time by hook, with all that its callbacks call, the greatest first. A hook within a callback is part of both
     * hooks' times. The time of a callback that several hooks have called cannot be told apart: they are one row.
     *
     * @param array<string, list<mixed>> $hooks the callbacks of the hooks that were called
     * @return array<string, array{wall: int, calls: int, callbacks: array<string, int>}>
     */
    public static function byHook(Profile $profile, array $hooks): array
    {
        $names = [];
        foreach ($hooks as $hook => $callbacks) {
            foreach ($callbacks as $callback) {
                $names[strtolower(self::name($callback))][(string) $hook] = true;
            }
        }
        $rows = [];
        foreach (self::callbacks($profile) as $name => $cost) {
            $of = array_keys($names[strtolower(self::nameEnd($name))] ?? ['removed since' => true]);
            $hook = implode(', ', \array_slice($of, 0, 3)) . (\count($of) > 3 ? ', …' : '');
            $rows[$hook]['wall'] = ($rows[$hook]['wall'] ?? 0) + $cost->wall;
            $rows[$hook]['calls'] = ($rows[$hook]['calls'] ?? 0) + $cost->calls;
            $rows[$hook]['callbacks'][$name] = $cost->wall;
        }
        uasort($rows, static fn(array $one, array $two): int => $two['wall'] <=> $one['wall']);
        return $rows;
    }

    /** @return array<string, Cost> what WordPress's hooks called */
    private static function callbacks(Profile $profile): array
    {
        $costs = [];
        foreach ($profile->callees('WP_Hook::*') as $call) {
            // A hook calls itself for the next callback, and PHP's array functions for itself.
            if (!str_starts_with($call->callee, 'WP_Hook::') && !\in_array($call->callee, ['current', 'next', 'array_slice', 'array_keys', 'end', 'key', 'count', 'call_user_func', 'call_user_func_array'], true)) {
                $costs[$call->callee] = ($costs[$call->callee] ?? new Cost())->plus($call->cost);
            }
        }
        return $costs;
    }

    /** The name by which a profile has a callback; of a closure, its end. Plugins register anything. */
    private static function name(mixed $callback): string
    {
        if (\is_array($callback) && isset($callback[0], $callback[1]) && \is_string($callback[1])) {
            $class = \is_object($callback[0]) ? $callback[0]::class : (string) $callback[0];
            return method_exists($class, $callback[1]) ? (new \ReflectionMethod($class, $callback[1]))->class . "::$callback[1]" : "$class::__call";
        }
        if (!\is_object($callback)) {
            return \is_string($callback) ? $callback : '';
        }
        if (!$callback instanceof \Closure) {
            return $callback::class . '::__invoke';
        }
        $function = new \ReflectionFunction($callback);
        if (str_contains($function->name, '{closure')) {
            return '{closure:' . implode('/', \array_slice(explode('/', (string) $function->getFileName()), -2)) . ":{$function->getStartLine()}}";
        }
        $class = $function->getClosureScopeClass();
        return $class === null ? $function->name : "$class->name::$function->name";
    }

    /** A function's name; of a closure without its class and namespace. */
    private static function nameEnd(string $function): string
    {
        return preg_match('/\{closure:.+:\d+\}$/', $function, $found) === 1 ? $found[0] : $function;
    }

    /** The plugin, theme or else that a function is part of. */
    private static function part(string $function): string
    {
        if (preg_match('/^(load|eval|run_init)::/', $function) === 1) {
            return 'loading of files';
        }
        $file = Location::of($function)?->file;
        if ($file === null) {
            return self::PHP;
        }
        $folders = ['plugins' => 'plugin', 'mu-plugins' => 'must-use plugin', 'themes' => 'theme'];
        if (preg_match('#/wp-content/(plugins|mu-plugins|themes)/([^/]+?)(?:\.php)?(?:/|$)#', $file, $found) === 1) {
            return $folders[$found[1]] . " $found[2]";
        }
        return preg_match('#/wp-(includes|admin)/#', $file) === 1 ? 'WordPress' : 'other code';
    }

    private function end(): void
    {
        $this->profile ??= $this->profiler?->stop();
        $this->profiler = null;
    }

    /**
     * @param array<string, \QM_Output> $outputs
     * @return array<string, \QM_Output>
     */
    private function withOutput(array $outputs): array
    {
        $collector = \QM_Collectors::get('xhprof');
        return $collector === null ? $outputs : $outputs + ['xhprof' => new class ($collector, $this->html(...)) extends \QM_Output_Html {
            public function __construct(\QM_Collector $collector, private readonly \Closure $html)
            {
                parent::__construct($collector);
                add_filter('qm/output/menus', [$this, 'admin_menu'], 15);
            }

            public function name()
            {
                return 'XHProf';
            }

            public function output()
            {
                $this->before_non_tabular_output();
                echo ($this->html)();
                $this->after_non_tabular_output();
            }
        }];
    }

    private function html(): string
    {
        if ($this->profile === null) {
            return '<p>' . (Profiler::isAvailable() ? 'Another profile was running: of the program, or because of the trigger.' : 'This PHP has no extension xhprof.') . '</p>';
        }
        $hooks = [];
        foreach ($GLOBALS['wp_filter'] as $hook => $found) {
            if (isset($GLOBALS['wp_actions'][$hook]) || isset($GLOBALS['wp_filters'][$hook])) {
                $hooks[$hook] = array_column(array_merge(...array_values($found->callbacks)), 'function');
            }
        }
        $total = $this->profile->total();
        $plugins = array_map(static fn(string $part, int $time): array => [self::time($time), $part], array_keys($own = self::byPlugin($this->profile)), $own);
        $byHook = \array_slice(self::byHook($this->profile, $hooks), 0, PanelRows::SHOWN);
        return '<p>' . self::time($total->wall) . ' from the must-use file to the shutdown, ' . number_format($this->profile->calls()) . ' calls. What is recorded costs time itself.</p>'
            . self::table('Time by plugin, with what it calls of PHP', ['Own time', 'Plugin'], $plugins)
            . self::table('Time by hook, with what its callbacks call', ['Time', 'Calls', 'Hook'], array_map(
                static fn(string $hook, array $row): array => [self::time($row['wall']), number_format($row['calls']), $hook, self::lines($row['callbacks'])],
                array_keys($byHook),
                $byHook,
            ))
            . self::table('SQL statements', ['Count', 'Time', 'Statement'], array_map(static fn(array $row): array => [
                number_format($row['count']), self::time($row['wall']), $row['statement'],
                implode("\n", array_map(static fn(array $caller): string => "$caller[calls]× by $caller[name]", $row['callers'])),
            ], PanelRows::queries($this->profile)))
            . self::table('Functions with the greatest own time', ['Calls', 'Own time', 'With callees', 'Function'], array_map(static fn(array $row): array => [
                number_format($row['calls']), self::time($row['self']), self::time($row['wall']), $row['name'], $row['file'] === null ? '' : "$row[file]:$row[line]",
            ], PanelRows::functions($this->profile)));
    }

    private static function time(int $microseconds): string
    {
        return number_format($microseconds / 1000, 2) . ' ms';
    }

    /** @param array<string, int> $callbacks */
    private static function lines(array $callbacks): string
    {
        arsort($callbacks);
        $lines = array_map(static fn(string $name, int $time): string => self::time($time) . " $name", array_keys($callbacks), $callbacks);
        return implode("\n", \array_slice($lines, 0, 5)) . (\count($lines) > 5 ? "\n…" : '');
    }

    /**
     * @param list<string> $columns
     * @param list<list<string>> $rows a cell a column; one more is a second line of the last column
     */
    private static function table(string $title, array $columns, array $rows): string
    {
        $html = '<section><h3>' . esc_html($title) . '</h3>';
        if ($rows === []) {
            return "$html<p>None.</p></section>";
        }
        $html .= '<table><thead><tr>';
        foreach ($columns as $column) {
            $html .= '<th scope="col">' . esc_html($column) . '</th>';
        }
        $html .= '</tr></thead><tbody>';
        foreach ($rows as $cells) {
            $more = $cells[\count($columns)] ?? '';
            $last = \count($columns) - 1;
            $html .= '<tr>';
            foreach (\array_slice($cells, 0, $last) as $cell) {
                $html .= '<td class="qm-num">' . esc_html($cell) . '</td>';
            }
            $html .= '<td><code>' . esc_html($cells[$last]) . '</code>';
            $html .= ($more === '' ? '' : '<br><span class="qm-info qm-supplemental">' . nl2br(esc_html($more)) . '</span>') . '</td></tr>';
        }
        return "$html</tbody></table></section>";
    }
}
