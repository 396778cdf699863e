<?php

declare(strict_types=1);

namespace Xhprof\PHPUnit;

use PHPUnit\Framework\Constraint\Constraint;
use Xhprof\Limit\Limit;
use Xhprof\Profile;

/**
 * PHPUnit's form of a limit.
 *
 * The types of the parameters are missing because those of PHPUnit 9 and 10 differ.
 */
final class KeepsLimit extends Constraint
{
    public function __construct(private readonly Limit $limit)
    {
    }

    public function toString(): string
    {
        return 'has ' . $this->limit->describe();
    }

    /** @param mixed $other */
    protected function matches($other): bool
    {
        return $other instanceof Profile && $this->limit->failure($other) === null;
    }

    /** @param mixed $other */
    protected function failureDescription($other): string
    {
        return 'a profile ' . $this->toString();
    }

    /** @param mixed $other */
    protected function additionalFailureDescription($other): string
    {
        return $other instanceof Profile ? (string) $this->limit->failure($other) : 'it is no profile';
    }
}
