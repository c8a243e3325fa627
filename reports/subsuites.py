"""Whether a suite is good or only big: its score beside those of random sub-suites of each size.

Papadakis, Shin, Yoo, Bae: Are mutation scores correlated with real fault detection? 2018.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from acidtest.reports.kills import Kills

SAMPLES = 100


@dataclass(frozen=True, slots=True)
class Spread:
    """The scores of the random sub-suites of one size: the smallest, three quartiles, the largest."""

    size: int
    low: Fraction
    lower: Fraction
    median: Fraction
    upper: Fraction
    high: Fraction


@dataclass(frozen=True, slots=True)
class Part:
    """A named part of the suite, its score, and how many of the random sub-suites of its size score less."""

    name: str
    size: int
    score: Fraction
    beats: Fraction


def score(kills: Kills, tests: Iterable[str]) -> Fraction:
    """Return the share of the mutants that these tests kill."""
    chosen = frozenset(tests)
    killed = sum(not chosen.isdisjoint(killers) for killers in kills.killers.values())
    return Fraction(killed, len(kills.killers)) if kills.killers else Fraction(0)


def spreads(kills: Kills, seed: int = 0, samples: int = SAMPLES) -> tuple[Spread, ...]:
    """Return the spread of scores for each size from one test to all."""
    return tuple(Spread(size, *_five(_sampled(kills, size, seed, samples))) for size in range(1, len(kills.tests) + 1))


def part(kills: Kills, name: str, tests: Sequence[str], seed: int = 0, samples: int = SAMPLES) -> Part:
    """Return how a part of the suite does beside random ones of its size."""
    own = score(kills, tests)
    others = _sampled(kills, len(tests), seed, samples)
    return Part(name, len(tests), own, Fraction(sum(other < own for other in others), len(others)))


def _sampled(kills: Kills, size: int, seed: int, samples: int) -> list[Fraction]:
    """Return the sorted scores of random sub-suites; the same ones for a seed and size, whoever asks."""
    rng = random.Random(f"{seed}:{size}")
    bits = dict.fromkeys(kills.tests, 0)
    for index, killers in enumerate(kills.killers.values()):
        for test in killers:
            bits[test] |= 1 << index
    found = []
    for _ in range(samples):
        killed = 0
        for test in rng.sample(kills.tests, size):
            killed |= bits[test]
        found.append(Fraction(killed.bit_count(), max(1, len(kills.killers))))
    return sorted(found)


def _five(ordered: Sequence[Fraction]) -> tuple[Fraction, Fraction, Fraction, Fraction, Fraction]:
    last = len(ordered) - 1
    low, lower, median, upper, high = (ordered[round(last * quarter / 4)] for quarter in range(5))
    return low, lower, median, upper, high
