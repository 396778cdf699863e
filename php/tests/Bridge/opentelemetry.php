<?php

/** OpenTelemetry's API, as far as the package uses it: no registry of the tests has it. */

declare(strict_types=1);

namespace OpenTelemetry\API\Trace;

if (!class_exists(Span::class)) {
    final class Span
    {
        /** The current span's ids; null outside of a span. */
        public static ?string $current = null;

        public static function getCurrent(): self
        {
            return new self();
        }

        public function getContext(): self
        {
            return $this;
        }

        public function isValid(): bool
        {
            return self::$current !== null;
        }

        public function getTraceId(): string
        {
            return explode('-', self::$current ?? '')[0] ?: str_repeat('0', 32);
        }

        public function getSpanId(): string
        {
            return explode('-', self::$current ?? '')[1] ?? str_repeat('0', 16);
        }
    }
}
