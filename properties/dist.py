"""Probability over finitely many outcomes, in exact rationals: a law is a ``Dist``, and two laws have a distance."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, TypeVar

K = TypeVar("K", bound=Hashable)
J = TypeVar("J", bound=Hashable)

UNITS = 2**1074
"""How many of the smallest positive float64 make 1."""


class Dist(Mapping[K, Fraction]):
    """An immutable map from outcome to probability. Outcomes without mass are not kept, so equal laws compare equal.

    Args:
        masses: probability of each outcome; ``Fraction``, ``int`` or a float taken at its exact value.

    Raises:
        ValueError: a mass below 0, or a total other than exactly 1.
    """

    def __init__(self, masses: Mapping[K, Fraction | float]) -> None:
        exact = {outcome: _fraction(mass) for outcome, mass in masses.items()}
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
            masses[value] = masses[value] + mass if value in masses else mass
        return Dist(masses)


def exact(values: Iterable[float]) -> tuple[Fraction, ...]:
    """Return the floats as the rationals that they are."""
    return tuple(Fraction(float(value)) for value in values)


def in_units(values: Iterable[float]) -> tuple[int, ...]:
    """Return the floats as the whole multiples of 2**-1074 that all of them are; quicker to add up than rationals."""
    ratios = (float(value).as_integer_ratio() for value in values)
    return tuple(above * (UNITS // below) for above, below in ratios)


def _fraction(value: Fraction | float) -> Fraction:
    return value if type(value) is Fraction else Fraction(value)


def over_ids(masses: Iterable[Fraction | float]) -> Dist[int]:
    """Return the law that gives id i the i-th mass; the masses must sum to exactly 1."""
    return Dist(dict(enumerate(masses)))


def normalize(weights: Mapping[K, Fraction | float]) -> Dist[K]:
    """Return the law proportional to ``weights``, which are >= 0 and not all 0."""
    whole = all(type(weight) is int for weight in weights.values())
    exact_weights: Mapping[K, Any] = weights if whole else {key: _fraction(mass) for key, mass in weights.items()}
    total = sum(exact_weights.values(), 0 if whole else Fraction(0))
    if total <= 0:
        raise ValueError(f"weights that sum to {total} cannot be normalized")
    return Dist({outcome: Fraction(weight, total) for outcome, weight in exact_weights.items()})


def mix(parts: Iterable[tuple[Fraction | float, Dist[K]]]) -> Dist[K]:
    """Return the law of first choosing a part by its weight, then an outcome by the part; weights sum to exactly 1."""
    masses: dict[K, Fraction] = {}
    for weight, part in parts:
        for outcome, mass in part.items():
            share = _fraction(weight) * mass
            masses[outcome] = masses[outcome] + share if outcome in masses else share
    return Dist(masses)


def total_variation(a: Mapping[K, Fraction], b: Mapping[K, Fraction]) -> Fraction:
    """Return half the sum of ``|a - b|`` over all outcomes: the largest disagreement on any event, from 0 to 1."""
    outcomes = set(a) | set(b)
    zero = Fraction(0)
    return sum((abs(a.get(outcome, zero) - b.get(outcome, zero)) for outcome in outcomes), zero) / 2
