"""How much is measured: everything in 15 minutes, a look in two, or just that it works."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Effort:
    """Counts for all parts."""

    name: str
    rounds: int
    # Calls in one process, of the cheap ways; the dear ones make fewer.
    calls: int
    # The larger workloads stop here.
    largest: int
    growth_rounds: int
    # CPU time of the accuracy program without a profiler.
    accuracy_ms: int
    requests: int


FULL = Effort("full", rounds=11, calls=1_000_000, largest=100_000_000, growth_rounds=3, accuracy_ms=60, requests=300)
QUICK = Effort("quick", rounds=3, calls=300_000, largest=1_000_000, growth_rounds=1, accuracy_ms=20, requests=100)
SMOKE = Effort("smoke", rounds=1, calls=5_000, largest=1_000, growth_rounds=1, accuracy_ms=1, requests=5)
