<?php

declare(strict_types=1);

namespace Xhprof;

/** The calls of one function by another one, as a sum. */
final class Call
{
    /** @param string $statement what it waited for: an SQL statement, URL or command; empty if nothing is known */
    public function __construct(
        public readonly string $caller,
        public readonly string $callee,
        public readonly string $statement,
        public readonly Cost $cost,
    ) {
    }

    /** `Shop\Repository::find (/srv/shop/src/Repository.php:12)` */
    public function describeCaller(): string
    {
        $location = Location::of($this->caller);
        return $location === null ? $this->caller : "$this->caller ($location)";
    }
}
