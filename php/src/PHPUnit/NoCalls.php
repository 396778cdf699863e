<?php

declare(strict_types=1);

namespace Xhprof\PHPUnit;

use Xhprof\Limit\Calls;

/** The test must not call these functions: `#[NoCalls("var_dump", "sleep")]`. */
#[\Attribute(\Attribute::TARGET_METHOD | \Attribute::TARGET_CLASS | \Attribute::IS_REPEATABLE)]
final class NoCalls implements HasLimit
{
    /** @var list<string> */
    private readonly array $functions;

    public function __construct(string ...$functions)
    {
        $this->functions = array_values($functions);
    }

    public function limits(): array
    {
        return array_map(static fn(string $function): Calls => new Calls($function, exactly: 0), $this->functions);
    }
}
