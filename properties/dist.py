"""Probability over finitely many outcomes, in exact rationals: a law is a ``Dist``, and two laws have a distance."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
J = TypeVar("J", bound=Hashable)


class Dist(Mapping[K, Fraction]):
    """An immutable map from outcome to probability. Outcomes without mass are not kept, so equal laws compare equal.

    Args:
        masses: probability of each outcome; ``Fraction``, ``int`` or a float taken at its exact value.

    Raises:
        ValueError: a mass below 0, or a total other than exactly 1.
    """

    def __init__(self, masses: Mapping[K, Fraction | float]) -> None:
        exact = {outcome: Fraction(mass) for outcome, mass in masses.items()}
        if negative := [outcome for outcome, mass in exact.items() if mass < 0]:
            raise ValueError(f"outcome {negative[0]!r} has mass {exact[negative[0]]}, below 0")
        if (total := sum(exact.values())) != 1:
            raise ValueError(f"the masses sum to {total}, not 1; normalize them first")
        self._masses = {outcome: mass for outcome, mass in exact.items() if mass}

    def __getitem__(self, outcome: K) -> Fraction:
        """Return the probability of ``outcome``; 0 for one that cannot happen."""
        return self._masses.get(outcome, Fraction(0))

    def __iter__(self) -> Iterator[K]:
        return iter(self._masses)

    def __len__(self) -> int:
        return len(self._masses)

    def __contains__(self, outcome: object) -> bool:
        return outcome in self._masses

    def __repr__(self) -> str:
        return "Dist(" + ", ".join(f"{outcome!r}: {mass}" for outcome, mass in self.items()) + ")"

    def of(self, event: Callable[[K], bool]) -> Fraction:
        """Return the probability that ``event`` holds of the outcome."""
        return sum((mass for outcome, mass in self.items() if event(outcome)), Fraction(0))

    def given(self, event: Callable[[K], bool]) -> "Dist[K]":
        """Return the law of the outcome where ``event`` holds, an event that has to be possible."""
        return normalize({outcome: mass for outcome, mass in self.items() if event(outcome)})

    def image(self, function: Callable[[K], J]) -> "Dist[J]":
        """Return the law of ``function(outcome)``."""
        masses: dict[J, Fraction] = {}
        for outcome, mass in self.items():
            value = function(outcome)
            masses[value] = masses.get(value, Fraction(0)) + mass
        return Dist(masses)


def exact(values: Iterable[float]) -> tuple[Fraction, ...]:
    """Return the floats as the rationals that they are."""
    return tuple(Fraction(float(value)) for value in values)


def over_ids(masses: Iterable[Fraction | float]) -> Dist[int]:
    """Return the law that gives id i the i-th mass; the masses must sum to exactly 1."""
    return Dist(dict(enumerate(masses)))


def normalize(weights: Mapping[K, Fraction | float]) -> Dist[K]:
    """Return the law proportional to ``weights``, which are >= 0 and not all 0."""
    exact_weights = {outcome: Fraction(weight) for outcome, weight in weights.items()}
    total = sum(exact_weights.values(), Fraction(0))
    if total <= 0:
        raise ValueError(f"weights that sum to {total} cannot be normalized")
    return Dist({outcome: weight / total for outcome, weight in exact_weights.items()})


def mix(parts: Iterable[tuple[Fraction | float, Dist[K]]]) -> Dist[K]:
    """Return the law of first choosing a part by its weight, then an outcome by the part; weights sum to exactly 1."""
    masses: dict[K, Fraction] = {}
    for weight, part in parts:
        for outcome, mass in part.items():
            masses[outcome] = masses.get(outcome, Fraction(0)) + Fraction(weight) * mass
    return Dist(masses)


def total_variation(a: Mapping[K, Fraction], b: Mapping[K, Fraction]) -> Fraction:
    """Return half the sum of ``|a - b|`` over all outcomes: the largest disagreement on any event, from 0 to 1."""
    outcomes = set(a) | set(b)
    zero = Fraction(0)
    return sum((abs(a.get(outcome, zero) - b.get(outcome, zero)) for outcome in outcomes), zero) / 2
