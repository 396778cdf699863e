<?php

declare(strict_types=1);

namespace Xhprof;

/** What calls cost together, with all that they called. */
final class Cost
{
    /**
     * @param int $calls how many
     * @param int $wall wall time in microseconds
     * @param ?int $cpu CPU time in microseconds, if it was measured
     * @param ?int $memory bytes in use afterwards less those before; below zero if more were freed
     * @param ?int $peak by how many bytes the peak of memory grew
     */
    public function __construct(
        public readonly int $calls = 0,
        public readonly int $wall = 0,
        public readonly ?int $cpu = null,
        public readonly ?int $memory = null,
        public readonly ?int $peak = null,
    ) {
    }

    /** @param array<string, int> $row `ct`, `wt`, `cpu`, `mu`, `pmu`, as in XHProf's array */
    public static function fromRow(array $row): self
    {
        return new self($row['ct'] ?? 0, $row['wt'] ?? 0, $row['cpu'] ?? null, $row['mu'] ?? null, $row['pmu'] ?? null);
    }

    public function plus(self $other): self
    {
        $sum = static fn(?int $one, ?int $two): ?int => $one === null && $two === null ? null : (int) $one + (int) $two;
        return new self(
            $this->calls + $other->calls,
            $this->wall + $other->wall,
            $sum($this->cpu, $other->cpu),
            $sum($this->memory, $other->memory),
            $sum($this->peak, $other->peak),
        );
    }
}
