"""How much is measured: everything (15 minutes), a first look (two minutes), or a test of the driver."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Effort:
    """Counts for all parts."""

    name: str
    rounds: int
    # Calls in one process, and a second of waiting for a quiet machine for each million. Expensive variants make fewer.
    calls: int
    # Seconds in which the best time of the yardstick is measured.
    yardstick_s: float
    # The largest size of the growing workloads.
    largest: int
    growth_rounds: int
    # CPU time of the accuracy program without a profiler.
    accuracy_ms: int
    requests: int
    # Processes in search of a quiet moment, in each round.
    tries: int


FULL = Effort(
    "full",
    rounds=7,
    calls=1_000_000,
    yardstick_s=5,
    largest=100_000_000,
    growth_rounds=3,
    accuracy_ms=60,
    requests=300,
    tries=20,
)
QUICK = Effort(
    "quick",
    rounds=3,
    calls=300_000,
    yardstick_s=2,
    largest=1_000_000,
    growth_rounds=1,
    accuracy_ms=20,
    requests=100,
    tries=5,
)
SMOKE = Effort(
    "smoke", rounds=1, calls=5_000, yardstick_s=0.1, largest=1_000, growth_rounds=1, accuracy_ms=1, requests=5, tries=1
)
