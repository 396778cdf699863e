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
        if (preg_match('/\{closure:(.+):(\d+)\}$/', $function, $found) === 1) {
            return new self($found[1], (int) $found[2]);
        }
        if (preg_match('/^(__TwigTemplate_\w+)::/', $function, $found) === 1) {
            return self::ofTwig($found[1]);
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

    /** The template that Twig compiled to this class, and its first line with code. */
    private static function ofTwig(string $class): ?self
    {
        if (!class_exists($class, false) || !is_subclass_of($class, 'Twig\Template')) {
            return null;
        }
        // Both methods return constants of the compiled class.
        $template = (new \ReflectionClass($class))->newInstanceWithoutConstructor();
        $source = $template->getSourceContext();
        $lines = $template->getDebugInfo();
        $file = $source->getPath() !== '' ? $source->getPath() : $source->getName();
        return new self($file, $lines === [] ? 1 : min($lines));
    }
}
