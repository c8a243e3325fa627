"""Where a statistic becomes improbable: critical values of the exact distributions, at a stated false-alarm rate.

Each from its distribution's own sum, which for numbers as small as the tests' takes a millisecond: scipy, by whose
quantiles this is tested, would take longer to import in every fresh process than all of the tests that need it.
"""

import math
from collections.abc import Callable

FOUR_STANDARD_ERRORS = math.erfc(4 / math.sqrt(2))
"""How often a normal variable is four standard errors or more from its mean, either side: 6.3e-5."""


def chi_square_limit(false_alarms: float, freedom: int) -> float:
    """Return what a chi-square statistic with ``freedom`` degrees of freedom exceeds at this rate."""
    low, high = 0.0, 1.0
    while _tail(high, freedom) > false_alarms:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        if _tail(middle, freedom) > false_alarms:
            low = middle
        else:
            high = middle
    return high


def _tail(x: float, freedom: int) -> float:
    """Return how often it exceeds x: the upper incomplete gamma function's recurrence, up from one half or from 1."""
    half, step = x / 2, freedom % 2 / 2 or 1.0
    tail = math.erfc(math.sqrt(half)) if freedom % 2 else math.exp(-half)
    while step < freedom / 2:
        tail += math.exp(step * math.log(half) - half - math.lgamma(step + 1))
        step += 1
    return tail


def binomial_limits(false_alarms: float, trials: int, success: float) -> tuple[int, int]:
    """Return the range that the successes in ``trials`` leave at most at this rate, half of it on each side.

    Args:
        success: the probability of one, in (0, 1).
    """

    def mass(count: int) -> float:
        return _power(trials, count, success, count, trials - count)

    return _limits(false_alarms, mass)


def failures_limits(false_alarms: float, successes: int, success: float) -> tuple[int, int]:
    """Return the range that the failures before the last of ``successes`` leave at most at this rate.

    Args:
        success: the probability of one, in (0, 1).
    """

    def mass(count: int) -> float:
        return _power(count + successes - 1, count, success, successes, count)

    return _limits(false_alarms, mass)


def _power(of: int, count: int, success: float, successes: int, failures: int) -> float:
    """Return the probability of so many successes and failures, in one of ``of`` over ``count`` orders."""
    orders = math.lgamma(of + 1) - math.lgamma(count + 1) - math.lgamma(of - count + 1)
    return math.exp(orders + successes * math.log(success) + failures * math.log1p(-success))


def _limits(false_alarms: float, mass: Callable[[int], float]) -> tuple[int, int]:
    """Return the smallest counts at which the cumulated ``mass`` reaches each end."""
    count, reached = 0, mass(0)

    def quantile(share: float) -> int:
        nonlocal count, reached
        while reached < share:
            count += 1
            reached += mass(count)
        return count

    return quantile(false_alarms / 2), quantile(1 - false_alarms / 2)
