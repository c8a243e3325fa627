"""Where a statistic becomes improbable: critical values of the exact distributions, at a stated false-alarm rate."""

from scipy.stats import binom, chi2, nbinom, norm  # type: ignore[import-untyped]  # scipy ships without types

FOUR_STANDARD_ERRORS = 2 * float(norm.sf(4))
"""How often a normal variable is four standard errors or more from its mean, either side: 6.3e-5."""


def chi_square_limit(false_alarms: float, freedom: int) -> float:
    """Return what a chi-square statistic with ``freedom`` degrees of freedom exceeds at this rate."""
    return float(chi2.isf(false_alarms, freedom))


def binomial_limits(false_alarms: float, trials: int, success: float) -> tuple[int, int]:
    """Return the range that the successes in ``trials`` leave at most at this rate, half of it on each side."""
    return int(binom.ppf(false_alarms / 2, trials, success)), int(binom.isf(false_alarms / 2, trials, success))


def failures_limits(false_alarms: float, successes: int, success: float) -> tuple[int, int]:
    """Return the range that the failures before the last of ``successes`` leave at most at this rate."""
    return int(nbinom.ppf(false_alarms / 2, successes, success)), int(nbinom.isf(false_alarms / 2, successes, success))
