<?php

declare(strict_types=1);

namespace Xhprof\Exception;

/** All exceptions of this package implement it. */
interface XhprofException extends \Throwable
{
}
