<?php

declare(strict_types=1);

namespace Xhprof\Bridge;

use OpenTelemetry\API\Trace\Span;

/** The trace that a request or job is part of, from OpenTelemetry's API where it is installed. */
final class Trace
{
    /**
     * Gives the running profile the tags `trace_id` and `span_id` of the current span, if there is one.
     *
     * The bridges of this package call it; call it yourself where you use none.
     */
    public static function tag(): void
    {
        if (!\function_exists('xhprof_tag') || !class_exists(Span::class)) {
            return;
        }
        $context = Span::getCurrent()->getContext();
        if ($context->isValid()) {
            xhprof_tag('trace_id', $context->getTraceId());
            xhprof_tag('span_id', $context->getSpanId());
        }
    }
}
