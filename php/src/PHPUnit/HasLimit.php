<?php

declare(strict_types=1);

namespace Xhprof\PHPUnit;

use Xhprof\Limit\Limit;

/** An attribute of a test, or of a class for all its tests. */
interface HasLimit
{
    /** @return list<Limit> */
    public function limits(): array;
}
