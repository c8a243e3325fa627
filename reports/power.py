"""What a statistical test can see: the power that theory predicts for a mutant's law, beside what really happens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acidtest.reports.intervals import Share, chi_square_distance, chi_square_power, share, smallest_seen

SURE = 0.99


@dataclass(frozen=True, slots=True)
class Sampled:
    """A chi-square test as its author states it: so many draws, this rate of false alarms, the law it expects."""

    test: str
    draws: int
    false_alarms: float
    expected: tuple[float, ...]

    @property
    def freedom(self) -> int:
        """Its degrees of freedom."""
        return sum(mass > 0.0 for mass in self.expected) - 1


@dataclass(frozen=True, slots=True)
class Line:
    """One mutant in the ledger of a test.

    Attributes:
        distance: chi-square distance of its exact law from the expected one. power: predicted.
        measured: how often the test failed on it with fresh draws; None where that was not tried.
    """

    mutant: str
    distance: float
    power: float
    measured: Share | None

    @property
    def agrees(self) -> bool | None:
        """Whether the prediction lies in the interval of what was measured, give or take one in a hundred."""
        return None if self.measured is None else self.measured.low - 0.01 <= self.power <= self.measured.high + 0.01


@dataclass(frozen=True, slots=True)
class Ledger:
    """A statistical test: the smallest law error it is sure to see, and each mutant whose law differs.

    Attributes:
        alarms: how often it failed on the unchanged code with fresh draws.
        unlawful: mutants that have no law, each with the reason. lawful: mutants whose law is exactly the expected one.
    """

    sampled: Sampled
    smallest: float
    lines: tuple[Line, ...]
    lawful: tuple[str, ...]
    unlawful: Mapping[str, str]
    alarms: Share | None = None


def ledger(
    sampled: Sampled,
    laws: Mapping[str, Sequence[float] | str],
    measured: Mapping[str, tuple[int, int]],
    unchanged: tuple[int, int] | None,
    rounding: float,
) -> Ledger:
    """Return the ledger of one test.

    Args:
        laws: for each mutant its exact output law, or why there is none.
        measured: for each mutant (failures, runs) of the test with fresh draws; unchanged: the same for the reference.
        rounding: a chi-square distance up to which a law is the expected one but for rounding.
    """
    lines, lawful, unlawful = [], [], {}
    for mutant, law in laws.items():
        if isinstance(law, str):
            unlawful[mutant] = law
            continue
        distance = chi_square_distance(sampled.expected, law)
        if distance <= rounding:
            lawful.append(mutant)
            continue
        power = chi_square_power(distance, sampled.draws, sampled.freedom, sampled.false_alarms)
        counted = share(*measured[mutant]) if mutant in measured else None
        lines.append(Line(mutant, distance, power, counted))
    return Ledger(
        sampled,
        smallest_seen(sampled.draws, sampled.freedom, sampled.false_alarms, SURE),
        tuple(sorted(lines, key=lambda line: line.distance)),
        tuple(lawful),
        unlawful,
        share(*unchanged) if unchanged is not None else None,
    )
