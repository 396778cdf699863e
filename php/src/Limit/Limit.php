<?php

declare(strict_types=1);

namespace Xhprof\Limit;

use Xhprof\Profile;

/** Something that a profile must not exceed. */
interface Limit
{
    /** Why the profile exceeds it, with callers and lines; null if it does not. */
    public function failure(Profile $profile): ?string;

    /** What must be true, for messages: `at most 3 calls of PDO::*`. */
    public function describe(): string;
}
