<?php

declare(strict_types=1);

namespace Xhprof;

/** A profile that has begun. */
interface RunningProfiler
{
    /** Ends the profile. Later calls return the same profile again. */
    public function stop(): Profile;
}
