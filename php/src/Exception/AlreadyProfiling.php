<?php

declare(strict_types=1);

namespace Xhprof\Exception;

/** The program began a profile by xhprof_enable() or xhprof_sample_enable(), which this package must not end. */
final class AlreadyProfiling extends \LogicException implements XhprofException
{
}
