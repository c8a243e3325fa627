"""The fixed vectors of the tests, and how a test says that a call must be refused."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acidtest.properties.sources import ScriptedSource

LAST_UNIFORM = 1 - 2**-53
"""The largest value that a 53-bit generator hands out, and the largest float64 below 1."""

TINY = 5e-324
"""The smallest positive float64, a subnormal."""

OUTSIDE_UNIT = (1.0, -(2.0**-1074), -0.25, 1.5, math.nan, math.inf, -math.inf)
"""What is no uniform on [0, 1)."""


@dataclass(frozen=True)
class Example:
    """A pair with what follows from it by hand. ``p`` and ``q`` are new arrays at each access."""

    target: tuple[float, ...]
    proposal: tuple[float, ...]
    alpha: Fraction
    residual: tuple[Fraction, ...]

    @property
    def p(self) -> NDArray[np.float64]:
        """Return the target as float64[n]."""
        return np.array(self.target)

    @property
    def q(self) -> NDArray[np.float64]:
        """Return the proposal as float64[n]."""
        return np.array(self.proposal)


def _example(p: str, q: str, alpha: str, residual: str) -> Example:
    eighths = [tuple(int(digit) / 8 for digit in digits.split()) for digits in (p, q)]
    return Example(eighths[0], eighths[1], Fraction(alpha), tuple(map(Fraction, residual.split())))


HAND = _example("4 2 2 0", "2 4 0 2", "1/2", "1/2 0 1/2 0")
"""The chapter's worked example, in eighths. Its residual has two equal entries."""

SECOND = _example("4 1 3 0", "1 4 1 2", "3/8", "3/5 0 2/5 0")
"""A second one with unequal residual entries, where more mistakes show."""

EXAMPLES = (
    HAND,
    SECOND,
    _example("2 6", "4 4", "3/4", "0 1"),
    _example("0 1 2 5", "3 3 1 1", "3/8", "0 0 1/5 4/5"),
    _example("1 0 5 0 2", "2 4 1 1 0", "1/4", "0 0 2/3 0 1/3"),
    _example("0 3 1 4", "0 2 4 2", "5/8", "0 1/3 0 2/3"),
)

EXCESS_WEIGHTS = (
    ([9, 86, 3, 54, 8, 30, 48, 42], [40, 3, 1, 13, 1, 67, 53, 65]),
    ([64, 14, 31, 27, 19, 4, 24, 1, 56], [74, 35, 36, 1, 14, 87, 7, 79, 74]),
)
"""Weights whose normalized excess sums to another float pairwise; in the second pair also compensated, exactly rounded
or backwards. Pairwise summation needs eight numbers to differ from the loop at all."""

OVERLAP_WEIGHTS = ([26, 22, 47, 53, 29, 88, 27, 1, 57], [47, 66, 74, 5, 38, 65, 78, 67, 89])
"""Weights whose normalized overlap, the sum of min(p_i, q_i), differs from the loop in all four other ways."""

BILLIONTH_EDGES = (
    ([81, 40, 16, 22, 92, 53, 28, 60, 18, 26], 0.05963302852293578, True),
    ([60, 18, 93, 22, 65, 78, 79, 17, 32, 52], 0.10077519279844961, True),
    ([27, 51, 8, 31, 72, 90, 58, 5, 43], 0.11168831068831168, False),
    ([78, 33, 87, 23, 42, 19, 46, 13, 51, 46], 0.1050228320502283, False),
)
"""Weights to normalize, the mass that then replaces the last one, and whether the loop's sum is within 1e-9 of 1.
Pairwise, exactly rounded and backwards the sum lies on the other side of that edge."""

NOT_DISTRIBUTIONS: dict[str, Any] = {
    "sums to more": [0.5, 0.625],
    "sums to less": [0.5, 0.375],
    "has a negative entry": [1.5, -0.5],
    "holds NaN first": [math.nan, 1.0],
    "holds NaN last": [1.0, math.nan],
    "holds infinity": [0.5, math.inf],
    "holds both infinities": [math.inf, -math.inf],
    "has no mass": [0.0, 0.0],
    "is empty": [],
    "is a number": 1.0,
    "is a matrix": [[0.5, 0.5]],
    "is ragged": [[0.5], [0.25, 0.25]],
    "is complex": [0.5 + 0.0j, 0.5 + 0.0j],
    "is text": ["a", "b"],
    "holds an object": [object(), object()],
}
"""Two ids wherever there is a length, so that the other argument of a call can be right."""


def scaled(weights: Sequence[int]) -> NDArray[np.float64]:
    """Return the weights divided by their sum."""
    return np.array(weights) / sum(weights)


def weighted_pairs(count: int, *sizes: int) -> list[tuple[list[float], list[float]]]:
    """Return pairs without zeros and not dyadic, of the given numbers of ids in turn; the same ones each time."""
    rng = random.Random(20230211)
    found = []
    for index in range(count):
        p, q = (scaled([rng.randint(1, 99) for _ in range(sizes[index % len(sizes)])]).tolist() for _ in "pq")
        found.append((p, q))
    return found


def on_pairs(target: Any) -> tuple[Callable[[Any, Any], object], ...]:
    """Return the four functions on two vectors, the rest of their arguments fixed and right; looked up at each call.

    Args:
        target: the module that has them.
    """
    return (
        lambda p, q: target.acceptance_probability(p, q),
        lambda p, q: target.residual_distribution(p, q),
        lambda p, q: target.speculative_step(p, q, 0, 0.875, 0.5),
        lambda p, q: target.rejection_sample(p, q, 8.0, ScriptedSource([0.25, 0.0] * 4)),
    )


def refuses(function: Callable[..., object], *args: Any) -> None:
    """Fail unless the call raises ``ValueError``. Its wording is free, so nothing looks at it."""
    try:
        answer = function(*args)
    except ValueError:
        return
    raise AssertionError(f"{args!r} must be refused with ValueError, and was answered with {answer!r}")
