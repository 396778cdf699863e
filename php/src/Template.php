<?php

declare(strict_types=1);

namespace Xhprof;

/**
 * Names the functions of compiled templates, as the program xhprof does: `twig::page.html.twig::block_body` of
 * Twig, `run_init::shop/page.blade.php` of Blade. A profile from a file keeps PHP's names, unless its templates
 * are loaded in this process.
 *
 * @internal
 */
final class Template
{
    /** @var array<string, string> the names, by PHP's */
    private static array $names = [];

    /** @var array<string, Location> where the named functions are, by name */
    private static array $locations = [];

    /** The name of a function; its own if it is not a template's. */
    public static function name(string $function): string
    {
        if (str_starts_with($function, '__TwigTemplate_')) {
            return self::$names[$function] ??= self::named($function);
        }
        // Blade's compiled files are called by a hash: SHA-1, or XXH128 since Laravel 9.
        if (preg_match('#^run_init::(.+/(?:[0-9a-f]{32}|[0-9a-f]{40})\.php)$#', $function, $found) === 1) {
            return self::$names[$function] ??= self::view($found[1]) ?? $function;
        }
        return $function;
    }

    /** The template and the line of a function that {@see name()} has named. */
    public static function location(string $name): ?Location
    {
        return self::$locations[$name] ?? null;
    }

    /** The name of a view of Blade, whose last comment has its path. */
    private static function view(string $compiled): ?string
    {
        foreach (get_included_files() as $file) {
            if (str_ends_with($file, "/$compiled") && preg_match('#^.*/\*\*PATH (.+?) ENDPATH\*\*/#s', (string) @file_get_contents($file), $found) === 1) {
                $name = 'run_init::' . implode('/', \array_slice(explode('/', $found[1]), -2));
                self::$locations[$name] ??= new Location($found[1], 1);
                return $name;
            }
        }
        return null;
    }

    private static function named(string $function): string
    {
        [$class, $method] = explode('::', $function, 2) + [1 => ''];
        if (!class_exists($class, false) || !is_subclass_of($class, 'Twig\Template')) {
            return $function;
        }
        // Both methods return constants of the compiled class.
        $reflection = new \ReflectionClass($class);
        $template = $reflection->newInstanceWithoutConstructor();
        $source = $template->getSourceContext();
        /** @var array<int, int> $lines lines of the template, by those of the compiled file */
        $lines = $template->getDebugInfo();
        // Those of an embedded template are preceded by the lines of the classes before.
        $lines = array_filter($lines, static fn(int $line): bool => $line >= $reflection->getStartLine(), ARRAY_FILTER_USE_KEY);
        $first = $lines === [] ? 1 : min($lines);
        $name = 'twig::' . $source->getName();
        if (str_contains($class, '___')) {
            $name .= "::embed_$first";
        }
        if (preg_match('/^\{closure:.+:(\d+)\}$/', $method, $found) === 1) {
            $line = self::before((int) $found[1], $lines) ?? $first;
            $short = implode('/', \array_slice(explode('/', $source->getName()), -2));
            $name .= "::{closure:$short:$line}";
        } else {
            $line = $reflection->hasMethod($method) ? self::first($reflection->getMethod($method), $lines) ?? $first : $first;
            $name .= $method === 'doDisplay' ? '' : "::$method";
        }
        $path = $source->getPath();
        self::$locations[$name] ??= new Location($path !== '' ? $path : $source->getName(), $line);
        return $name;
    }

    /** @param array<int, int> $lines */
    private static function first(\ReflectionMethod $method, array $lines): ?int
    {
        // Twig notes the line of a block where its comment begins.
        $comment = $method->getDocComment();
        $start = (int) $method->getStartLine() - ($comment === false ? 0 : substr_count($comment, "\n") + 1);
        $inside = array_filter($lines, static fn(int $line): bool => $line >= $start && $line <= $method->getEndLine(), ARRAY_FILTER_USE_KEY);
        return $lines[$start] ?? ($inside === [] ? null : min($inside));
    }

    /** @param array<int, int> $lines */
    private static function before(int $line, array $lines): ?int
    {
        $before = array_filter(array_keys($lines), static fn(int $compiled): bool => $compiled <= $line);
        return $before === [] ? null : $lines[max($before)];
    }
}
