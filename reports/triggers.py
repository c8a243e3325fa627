"""How often a strategy's examples reach a fault: the share of them on which reference and mutant answer differently."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acidtest.reports.intervals import Share, share

BLIND, BIASED = 0.001, 0.80
"""Below the first share a strategy hardly meets the fault, above the second it hardly meets anything else."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """One family of examples against one mutant; ``rate`` counts examples, each with one call."""

    family: str
    function: str
    mutant: str
    rate: Share

    @property
    def verdict(self) -> str:
        """``blind``: no example reached it. ``rare`` and ``biased``: the interval lies outside the good range."""
        if not self.rate.hits:
            return "blind"
        if self.rate.high < BLIND:
            return "rare"
        return "biased" if self.rate.low > BIASED else ""


def trigger(family: str, function: str, mutant: str, reference: Sequence[str], answers: Sequence[str]) -> Trigger:
    """Return how many of a family's calls a mutant answers unlike the reference."""
    hits = sum(one != other for one, other in zip(reference, answers, strict=True))
    return Trigger(family, function, mutant, share(hits, len(reference)))


def never_reached(triggers: Sequence[Trigger]) -> tuple[str, ...]:
    """Return the mutants that no family reaches at all."""
    mutants = dict.fromkeys(row.mutant for row in triggers)
    return tuple(name for name in mutants if not any(row.rate.hits for row in triggers if row.mutant == name))


def reached_by_one(triggers: Sequence[Trigger]) -> Mapping[str, str]:
    """Return the mutants that one family alone reaches, each with that family."""
    reaching: dict[str, list[str]] = {}
    for row in triggers:
        if row.rate.hits:
            reaching.setdefault(row.mutant, []).append(row.family)
    families = {row.family for row in triggers}
    return {name: found[0] for name, found in reaching.items() if len(found) == 1 < len(families)}
