<?php

declare(strict_types=1);

namespace Xhprof\PHPUnit;

use Xhprof\Limit\Calls;

/** The test may call these functions so many times: `#[MaxCalls("PDO::*", 3)]`. */
#[\Attribute(\Attribute::TARGET_METHOD | \Attribute::TARGET_CLASS | \Attribute::IS_REPEATABLE)]
final class MaxCalls implements HasLimit
{
    public function __construct(
        private readonly string $function,
        private readonly int $atMost,
        private readonly ?string $by = null,
    ) {
    }

    public function limits(): array
    {
        return [new Calls($this->function, $this->atMost, by: $this->by)];
    }
}
