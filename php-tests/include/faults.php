<?php

// Faults of PHP itself: docs/engines.md has what they do.

/** Whether this PHP has the fault of php-src pull request 21910: under the tracing JIT, observed calls are not sampled. */
function has_fault_21910(): bool
{
    return PHP_VERSION_ID >= 80400 && PHP_VERSION_ID < 80422 || PHP_VERSION_ID >= 80500 && PHP_VERSION_ID < 80507;
}
