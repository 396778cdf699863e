<?php

declare(strict_types=1);

namespace Xhprof\Limit;

use Xhprof\Profile;

/** How many SQL statements may be made, and how often one caller may repeat one of them (N+1). */
final class Queries implements Limit
{
    /** @param ?int $repeated how often one caller may make the same statement; values do not make it another one */
    public function __construct(
        private readonly ?int $atMost = null,
        private readonly ?int $repeated = null,
    ) {
        if ($atMost === null && $repeated === null) {
            throw new \InvalidArgumentException('a limit of SQL statements needs atMost or repeated');
        }
    }

    public function describe(): string
    {
        $limits = [];
        if ($this->atMost !== null) {
            $limits[] = "at most $this->atMost SQL statements";
        }
        if ($this->repeated !== null) {
            $limits[] = "at most $this->repeated of the same by one caller";
        }
        return implode(' and ', $limits);
    }

    public function failure(Profile $profile): ?string
    {
        $queries = $profile->queries();
        $count = $profile->queryCount();
        $repeated = array_map(static fn($query): int => $query->repeated(), $queries);
        $most = $repeated === [] ? 0 : max($repeated);
        $isTooMany = $this->atMost !== null && $count > $this->atMost;
        $isRepeated = $this->repeated !== null && $most > $this->repeated;
        if (!$isTooMany && !$isRepeated) {
            return null;
        }
        $calls = [];
        foreach ($queries as $query) {
            foreach ($query->calls as $call) {
                if ($isTooMany || $call->cost->calls > $this->repeated) {
                    $calls[] = $call;
                }
            }
        }
        usort($calls, static fn($one, $two): int => $two->cost->calls <=> $one->cost->calls);
        $what = $isTooMany ? "$count SQL statements were made" : "the same SQL statement was made $most times by one caller (N+1)";
        return "$what, expected: " . $this->describe() . '.' . Callers::lines($calls);
    }
}
