<?php

declare(strict_types=1);

namespace Xhprof;

/** All calls that waited for the same: one SQL statement without its literals, one URL, one command. */
final class Query
{
    /** @param non-empty-list<Call> $calls by caller, those that call most first */
    public function __construct(
        public readonly string $statement,
        public readonly array $calls,
    ) {
    }

    /** How often it was made. */
    public function count(): int
    {
        return array_sum(array_map(static fn(Call $call): int => $call->cost->calls, $this->calls));
    }

    /** The most calls by one caller. */
    public function repeated(): int
    {
        return $this->calls[0]->cost->calls;
    }
}
