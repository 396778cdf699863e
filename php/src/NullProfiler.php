<?php

declare(strict_types=1);

namespace Xhprof;

/** Takes the place of {@see Profiler} where the extension is missing: its profile is empty. */
final class NullProfiler implements RunningProfiler
{
    public function stop(): Profile
    {
        return Profile::fromRows(['main()' => ['ct' => 1, 'wt' => 0]]);
    }
}
