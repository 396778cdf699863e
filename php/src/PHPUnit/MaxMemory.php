<?php

declare(strict_types=1);

namespace Xhprof\PHPUnit;

use Xhprof\Limit\Memory;

/** The peak of memory may grow by so much in the test: `#[MaxMemory("32MB")]`. */
#[\Attribute(\Attribute::TARGET_METHOD | \Attribute::TARGET_CLASS | \Attribute::IS_REPEATABLE)]
final class MaxMemory implements HasLimit
{
    public function __construct(
        private readonly int|string|null $atMost = null,
        private readonly int|string|null $kept = null,
    ) {
    }

    public function limits(): array
    {
        return [new Memory($this->atMost, $this->kept)];
    }
}
