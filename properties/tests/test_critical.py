"""Two roads to one critical value: our sums, and the quantiles of scipy.stats, which take a second to import."""

import pytest
from scipy.stats import binom, chi2, nbinom, norm

from acidtest.properties.critical import FOUR_STANDARD_ERRORS, binomial_limits, chi_square_limit, failures_limits

CASES = [(1e-3, 2000, 0.3), (1e-5, 100, 0.5), (0.01, 7, 0.9), (0.2, 3, 0.01), (1e-6, 500, 0.5), (6.3e-5, 1000, 0.5)]


def test_four_standard_errors_and_chi_square_agree() -> None:
    assert pytest.approx(2 * norm.sf(4), rel=1e-12) == FOUR_STANDARD_ERRORS
    for freedom in (1, 2, 3, 4, 39, 400):
        assert chi_square_limit(1e-3, freedom) == pytest.approx(chi2.isf(1e-3, freedom), rel=1e-12)


@pytest.mark.parametrize(("rate", "count", "success"), CASES)
def test_counts_agree(rate: float, count: int, success: float) -> None:
    for ours, theirs in ((binomial_limits, binom), (failures_limits, nbinom)):
        expected = (int(theirs.ppf(rate / 2, count, success)), int(theirs.isf(rate / 2, count, success)))
        assert ours(rate, count, success) == expected
