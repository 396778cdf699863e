<?php

declare(strict_types=1);

namespace Xhprof\Exception;

/** Rows or a file that are no profile, or a file that cannot be read or written. */
final class InvalidProfile extends \RuntimeException implements XhprofException
{
}
