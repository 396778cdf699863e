<?php

declare(strict_types=1);

namespace Xhprof\Limit;

use Xhprof\Call;

/**
 * The lines below a failure: who called.
 *
 * @internal
 */
final class Callers
{
    private const SHOWN = 8;

    /** @param list<Call> $calls most calls first */
    public static function lines(array $calls): string
    {
        $text = '';
        foreach (\array_slice($calls, 0, self::SHOWN) as $call) {
            $what = $call->statement === '' ? $call->callee : "$call->callee: $call->statement";
            $text .= "\n  {$call->cost->calls}× " . self::shortened($what) . "\n      by " . $call->describeCaller();
        }
        $others = \count($calls) - self::SHOWN;
        return $text . ($others > 0 ? "\n  and $others more callers" : '');
    }

    public static function shortened(string $text): string
    {
        $line = preg_replace('/\s+/', ' ', $text) ?? $text;
        return \strlen($line) > 160 ? substr($line, 0, 157) . '...' : $line;
    }
}
