<?php

declare(strict_types=1);

namespace Xhprof;

/**
 * What a profile records.
 *
 * Call events are not here: they go into a file only, see `xhprof.mode=events`.
 */
enum Mode: string
{
    /** Costs by caller and callee: the cheapest, and enough for assertions. */
    case Edges = 'edges';

    /** Costs by whole path, for flame graphs. {@see Profile::save()} keeps them in a native file. */
    case Tree = 'tree';
}
