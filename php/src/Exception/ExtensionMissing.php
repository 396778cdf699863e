<?php

declare(strict_types=1);

namespace Xhprof\Exception;

/** The extension is not loaded, or another one has its name. */
final class ExtensionMissing extends \RuntimeException implements XhprofException
{
    /** The reason, as far as it can be seen from inside PHP. */
    public static function because(): self
    {
        if (\extension_loaded('xhprof')) {
            return new self('another extension called xhprof is loaded: it has no xhprof_status(); install the one of this package');
        }
        return new self('the extension xhprof is not loaded: add "extension = xhprof" to ' . (php_ini_loaded_file() ?: 'php.ini'));
    }
}
