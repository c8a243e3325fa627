"""How far a counted share may be from the true one, and what a chi-square test can see: exact distributions.

From ``scipy.special``, which loads ten times faster than ``scipy.stats``; loaded when the first number is asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Share:
    """``hits`` of ``tries``, with the Clopper-Pearson interval of the true share at 95%, both sides together."""

    hits: int
    tries: int
    low: float
    high: float

    @property
    def value(self) -> Fraction | None:
        """The share that was counted."""
        return Fraction(self.hits, self.tries) if self.tries else None


def share(hits: int, tries: int) -> Share:
    """Return a counted share with its interval."""
    tail = (1 - LEVEL) / 2
    return Share(hits, tries, lower_bound(hits, tries, 1 - tail), upper_bound(hits, tries, 1 - tail))


def lower_bound(hits: int, tries: int, level: float = LEVEL) -> float:
    """Return what the true share is at least, with this confidence. Clopper, Pearson 1934, one side."""
    _checked(hits, tries)
    return float(_special().betaincinv(hits, tries - hits + 1, 1 - level)) if hits else 0.0


def upper_bound(hits: int, tries: int, level: float = LEVEL) -> float:
    """Return what the true share is at most, with this confidence. Clopper, Pearson 1934, one side."""
    _checked(hits, tries)
    return float(_special().betaincinv(hits + 1, tries - hits, level)) if hits < tries else 1.0


def all_kill_bound(seeds: int, level: float = LEVEL) -> float:
    """Return the lower bound of a cell that killed under every one of ``seeds`` seeds: ``(1 - level) ** (1 / seeds)``.

    0.861 for 20 seeds, 0.950 for 59, 0.990 for 299.
    """
    return float((1 - level) ** (1 / seeds))


def chi_square_distance(p: Sequence[float], r: Sequence[float]) -> float:
    """Return ``sum((r_i - p_i)**2 / p_i)``; infinite where ``r`` has mass on an id that ``p`` has not."""
    if any(mass > 0.0 == expected for expected, mass in zip(p, r, strict=True)):
        return float("inf")
    return sum((mass - expected) ** 2 / expected for expected, mass in zip(p, r, strict=True) if expected > 0.0)


def chi_square_power(distance: float, draws: int, freedom: int, false_alarms: float) -> float:
    """Return how often the test rejects a law at this chi-square distance: the noncentral distribution's tail."""
    if distance == 0.0:
        return false_alarms
    if distance == float("inf"):
        return 1.0
    special = _special()
    limit = special.chdtri(freedom, false_alarms)
    return float(1.0 - special.chndtr(limit, freedom, draws * distance))


def smallest_seen(draws: int, freedom: int, false_alarms: float, power: float = 0.99) -> float:
    """Return the smallest chi-square distance that the test rejects with this power."""
    special = _special()
    limit = special.chdtri(freedom, false_alarms)
    return float(special.chndtrinc(limit, freedom, 1.0 - power)) / draws


def _checked(hits: int, tries: int) -> None:
    if not 0 <= hits <= tries or not tries:
        raise ValueError(f"{hits} of {tries} is no share")


def _special() -> Any:
    import scipy.special

    return scipy.special
