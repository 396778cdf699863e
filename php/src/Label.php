<?php

declare(strict_types=1);

namespace Xhprof;

/**
 * A function as the keys of XHProf's array have it: a name, perhaps with a statement (`PDO::query#SELECT ?`)
 * and a level of recursion (`walk@2`).
 *
 * @internal
 */
final class Label
{
    private function __construct(
        public readonly string $name,
        public readonly string $statement,
    ) {
    }

    public static function of(string $text): self
    {
        // Names of files and closures may have these characters themselves.
        if (preg_match('/^(load::|eval::|run_init::)|\{closure:/', $text) === 1) {
            return new self(preg_replace('/@\d+$/', '', $text) ?? $text, '');
        }
        [$name, $statement] = explode('#', $text, 2) + [1 => ''];
        return new self(preg_replace('/@\d+$/', '', $name) ?? $name, $statement);
    }
}
