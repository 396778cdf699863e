<?php

declare(strict_types=1);

namespace Xhprof\Limit;

use Xhprof\Call;
use Xhprof\Profile;

/** By how much memory may grow: its peak, or what is still in use at the end. */
final class Memory implements Limit
{
    private readonly ?int $peak;
    private readonly ?int $kept;

    /**
     * @param int|string|null $atMost of the peak: bytes, or a size such as `32MB`, `512K` (`MB` is a million bytes, `MiB` and php.ini's `M` are 1024 * 1024)
     * @param int|string|null $kept what must be freed at the end but for this: a leak
     */
    public function __construct(int|string|null $atMost = null, int|string|null $kept = null)
    {
        if ($atMost === null && $kept === null) {
            throw new \InvalidArgumentException('a limit of memory needs atMost or kept');
        }
        $this->peak = $atMost === null ? null : self::bytes($atMost);
        $this->kept = $kept === null ? null : self::bytes($kept);
    }

    public function describe(): string
    {
        $limits = [];
        if ($this->peak !== null) {
            $limits[] = 'a peak that grows by at most ' . self::words($this->peak);
        }
        if ($this->kept !== null) {
            $limits[] = 'at most ' . self::words($this->kept) . ' still in use afterwards';
        }
        return implode(' and ', $limits);
    }

    public function failure(Profile $profile): ?string
    {
        $total = $profile->total();
        if ($total->peak === null || $total->memory === null) {
            return 'memory was not measured: profile with new Options(memory: true)';
        }
        $isPeak = $this->peak !== null && $total->peak > $this->peak;
        if ($isPeak) {
            return 'the peak of memory grew by ' . self::words($total->peak) . ', expected: ' . $this->describe() . '.'
                . $this->functions($profile, static fn(Call $call): int => (int) $call->cost->peak);
        }
        if ($this->kept !== null && $total->memory > $this->kept) {
            return self::words($total->memory) . ' are still in use afterwards, expected: ' . $this->describe() . '.'
                . $this->functions($profile, static fn(Call $call): int => (int) $call->cost->memory);
        }
        return null;
    }

    /** @param callable(Call): int $cost */
    private function functions(Profile $profile, callable $cost): string
    {
        $calls = $profile->callers('*');
        $self = [];
        foreach ($calls as $call) {
            $self[$call->callee] = ($self[$call->callee] ?? 0) + $cost($call);
        }
        foreach ($calls as $call) {
            if (isset($self[$call->caller])) {
                $self[$call->caller] -= $cost($call);
            }
        }
        arsort($self);
        $text = '';
        foreach (\array_slice(array_filter($self, static fn(int $bytes): bool => $bytes > 0), 0, 3) as $function => $bytes) {
            $caller = $profile->callers($function)[0] ?? null;
            $place = \Xhprof\Location::of($function);
            $text .= "\n  " . self::words($bytes) . ' by ' . $function . ($place === null ? '' : " ($place)");
            if ($place === null && $caller !== null) {
                $text .= "\n      called by " . $caller->describeCaller();
            }
        }
        return $text;
    }

    private static function bytes(int|string $size): int
    {
        if (\is_int($size)) {
            return $size;
        }
        if (preg_match('/^\s*(\d+(?:\.\d+)?)\s*(?:([KMG])(B|iB)?|B)?\s*$/i', $size, $found) !== 1) {
            throw new \InvalidArgumentException("\"$size\" is no size: write bytes, or a number with KB, MB or GB");
        }
        $power = (int) strpos(' KMG', strtoupper($found[2] ?? ' '));
        $step = strtoupper($found[3] ?? '') === 'B' ? 1000 : 1024;
        return (int) round((float) $found[1] * $step ** $power);
    }

    private static function words(int $bytes): string
    {
        return match (true) {
            $bytes >= 1_000_000 => round($bytes / 1_000_000, 1) . ' MB',
            $bytes >= 1_000 => round($bytes / 1_000, 1) . ' kB',
            default => "$bytes bytes",
        };
    }
}
