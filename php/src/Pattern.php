<?php

declare(strict_types=1);

namespace Xhprof;

/**
 * A name of a function, or a pattern with `*` for any text; both ignore case, as PHP does.
 *
 * `PDO::*`, `*Repository::find`, `App\*`, `strlen`. It is the same language as in `xhprof.exclude`.
 */
final class Pattern
{
    private readonly string $expression;

    public function __construct(public readonly string $text)
    {
        $parts = array_map(static fn(string $part): string => preg_quote($part, '/'), explode('*', ltrim($text, '\\')));
        $this->expression = '/^' . implode('.*', $parts) . '$/is';
    }

    public function matches(string $function): bool
    {
        return preg_match($this->expression, $function) === 1;
    }
}
