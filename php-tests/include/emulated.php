<?php

/** Whether qemu-user runs this PHP: it answers uname(2) itself, and passes the kernel's files on. */
function is_emulated(): bool
{
    $kernel = @file_get_contents('/proc/sys/kernel/arch');
    return $kernel && trim($kernel) !== php_uname('m');
}
