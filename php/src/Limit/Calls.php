<?php

declare(strict_types=1);

namespace Xhprof\Limit;

use Xhprof\Profile;

/** How often functions may or must be called. */
final class Calls implements Limit
{
    /**
     * @param string $function a name or a pattern, {@see \Xhprof\Pattern}
     * @param ?string $by calls by other functions do not count
     */
    public function __construct(
        private readonly string $function,
        private readonly ?int $atMost = null,
        private readonly ?int $atLeast = null,
        private readonly ?int $exactly = null,
        private readonly ?string $by = null,
    ) {
        if ($atMost === null && $atLeast === null && $exactly === null) {
            throw new \InvalidArgumentException("a limit of the calls of $function needs atMost, atLeast or exactly");
        }
    }

    public function describe(): string
    {
        $limits = [];
        foreach (['exactly' => $this->exactly, 'at least' => $this->atLeast, 'at most' => $this->atMost] as $word => $limit) {
            if ($limit !== null) {
                $limits[] = "$word $limit";
            }
        }
        return implode(' and ', $limits) . " calls of $this->function" . ($this->by === null ? '' : " by $this->by");
    }

    public function failure(Profile $profile): ?string
    {
        $calls = $profile->calls($this->function, $this->by);
        $isKept = ($this->exactly === null || $calls === $this->exactly)
            && ($this->atLeast === null || $calls >= $this->atLeast)
            && ($this->atMost === null || $calls <= $this->atMost);
        if ($isKept) {
            return null;
        }
        return "$this->function was called $calls " . ($calls === 1 ? 'time' : 'times') . ', expected: ' . $this->describe() . '.'
            . Callers::lines($profile->callers($this->function));
    }
}
