<?php

declare(strict_types=1);

namespace Xhprof;

/** Where a function is defined. */
final class Location implements \Stringable
{
    public function __construct(
        public readonly string $file,
        public readonly int $line,
    ) {
    }

    public function __toString(): string
    {
        return "$this->file:$this->line";
    }

    /** Asks PHP's reflection; null for PHP's own functions and those that are not loaded. */
    public static function of(string $function): ?self
    {
        $template = Template::location(Template::name($function));
        if ($template !== null) {
            return $template;
        }
        if (preg_match('/\{closure:(.+):(\d+)\}$/', $function, $found) === 1) {
            return new self(self::included($found[1]), (int) $found[2]);
        }
        try {
            $found = str_contains($function, '::')
                ? new \ReflectionMethod(...explode('::', $function, 2))
                : new \ReflectionFunction($function);
        } catch (\ReflectionException) {
            return null;
        }
        $file = $found->getFileName();
        $line = $found->getStartLine();
        return $file === false || $line === false ? null : new self($file, $line);
    }

    /** The only included file whose path ends so; the end itself if there are several, or none. */
    private static function included(string $end): string
    {
        static $files = [];
        static $count = 0;
        $all = get_included_files();
        foreach (\array_slice($all, $count) as $file) {
            $files[implode('/', \array_slice(explode('/', $file), -2))][] = $file;
        }
        $count = \count($all);
        return \count($files[$end] ?? []) === 1 ? $files[$end][0] : $end;
    }
}
