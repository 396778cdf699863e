<?php

declare(strict_types=1);

namespace Xhprof\PHPUnit;

use Xhprof\Limit\Queries;

/** The test may make so many SQL statements: `#[MaxQueries(10, repeated: 1)]`. */
#[\Attribute(\Attribute::TARGET_METHOD | \Attribute::TARGET_CLASS | \Attribute::IS_REPEATABLE)]
final class MaxQueries implements HasLimit
{
    public function __construct(
        private readonly ?int $atMost = null,
        private readonly ?int $repeated = null,
    ) {
    }

    public function limits(): array
    {
        return [new Queries($this->atMost, $this->repeated)];
    }
}
