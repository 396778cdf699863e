<?php

declare(strict_types=1);

namespace Xhprof;

use Xhprof\Exception\InvalidProfile;

/**
 * A file that only its owner can read, deleted with the object.
 *
 * @internal
 */
final class TemporaryFile
{
    private function __construct(public readonly string $path)
    {
    }

    public function __destruct()
    {
        if (is_file($this->path)) {
            unlink($this->path);
        }
    }

    /** Makes an empty file whose name no other process has. */
    public static function create(string $ending): self
    {
        $path = sys_get_temp_dir() . '/xhprof-' . bin2hex(random_bytes(12)) . $ending;
        // "x" refuses a file or link that is there.
        $mask = umask(0o077);
        $file = @fopen($path, 'x');
        umask($mask);
        if ($file === false) {
            throw new InvalidProfile("cannot create a temporary file in " . sys_get_temp_dir());
        }
        fclose($file);
        return new self($path);
    }
}
