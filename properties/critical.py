"""Where a statistic becomes improbable: critical values of the exact distributions, at a stated false-alarm rate.

From ``scipy.special``, not ``scipy.stats``: the second takes a second to import, which every fresh process would pay.
"""

import math
from collections.abc import Callable

from scipy.special import (
    bdtr,
    bdtrik,
    chdtri,
    nbdtr,
    nbdtrik,
    ndtr,
)

FOUR_STANDARD_ERRORS = 2 * float(ndtr(-4))
"""How often a normal variable is four standard errors or more from its mean, either side: 6.3e-5."""


def chi_square_limit(false_alarms: float, freedom: int) -> float:
    """Return what a chi-square statistic with ``freedom`` degrees of freedom exceeds at this rate."""
    return float(chdtri(freedom, false_alarms))


def binomial_limits(false_alarms: float, trials: int, success: float) -> tuple[int, int]:
    """Return the range that the successes in ``trials`` leave at most at this rate, half of it on each side."""
    return _limits(
        false_alarms,
        lambda share: float(bdtrik(share, trials, success)),
        lambda count: float(bdtr(count, trials, success)),
    )


def failures_limits(false_alarms: float, successes: int, success: float) -> tuple[int, int]:
    """Return the range that the failures before the last of ``successes`` leave at most at this rate."""
    return _limits(
        false_alarms,
        lambda share: float(nbdtrik(share, successes, success)),
        lambda count: float(nbdtr(count, successes, success)),
    )


def _limits(false_alarms: float, near: Callable[[float], float], cumulative: Callable[[int], float]) -> tuple[int, int]:
    """Return the smallest counts whose cumulative probability reaches each end; ``near`` is the real-valued inverse."""

    def quantile(share: float) -> int:
        count = max(0, math.ceil(near(share)))
        while count > 0 and cumulative(count - 1) >= share:
            count -= 1
        while cumulative(count) < share:
            count += 1
        return count

    return quantile(false_alarms / 2), quantile(1 - false_alarms / 2)
