<?php

/** PHP Debug Bar's classes, as far as its panel uses them: Debian has no package of it. */

declare(strict_types=1);

namespace DebugBar\DataCollector;

interface Renderable
{
    public function getWidgets(): array;
}

abstract class DataCollector
{
    abstract public function collect(): array;

    abstract public function getName(): string;

    /** The bar's setting of an editor; null without one. */
    public static ?string $editor = null;

    public function getXdebugLink(string $file, ?int $line = null): ?array
    {
        return self::$editor === null ? null : ['url' => self::$editor . "$file:$line", 'ajax' => false, 'filename' => basename($file), 'line' => (string) $line];
    }
}
