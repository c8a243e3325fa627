"""The residual distribution where it is hard: hardly any mass, no mass, and what must not be touched."""

import math

import numpy as np
import pytest
from hypothesis import given

from acidtest.properties.cases import EXAMPLES
from acidtest.properties.dist import exact
from acidtest.properties.laws import float_residual, missing_masses, residual_bound
from acidtest.properties.strategies import Pair, examples, near_equal
from tinyllm.prob import rejection


@pytest.mark.boundary
@pytest.mark.extended
def test_residual_leaves_its_inputs_unchanged() -> None:
    """Both arguments hold the same bits after the call, where p and q differ and where they are equal.

    Matters: the caller scores the next position with the same target; an in-place edit corrupts it silently.
    """
    for example in EXAMPLES:
        for p, q in ((example.p, example.q), (example.q, example.p), (example.p, example.p)):
            before = p.tolist(), q.tolist()
            rejection.residual_distribution(p, q)
            assert (p.tolist(), q.tolist()) == before


@pytest.mark.boundary
@pytest.mark.extended
def test_residual_is_a_new_float64_vector() -> None:
    """The result is a plain float64 vector of length n that shares memory with no argument, lists included.

    Matters: callers edit what they get and hand it to code that reads raw float64.
    """
    for example in EXAMPLES:
        p, q = example.p, example.q
        for residual in (
            rejection.residual_distribution(p, q),
            rejection.residual_distribution(p.tolist(), q.tolist()),
        ):
            assert type(residual) is np.ndarray
            assert residual.dtype == np.float64
            assert residual.shape == (len(p),)
            assert not np.shares_memory(residual, p)
            assert not np.shares_memory(residual, q)


@pytest.mark.boundary
@pytest.mark.extended
def test_residual_zero_mass_with_p_unlike_q_is_p() -> None:
    """Where p exceeds q nowhere in float64 although they differ, the answer is a copy of p.

    Matters: asking whether p equals q misses this case, and the division then makes NaN of the whole vector.
    """
    for target, proposal in (
        ([1.0, 1e-17], [1.0, 2e-17]),
        ([0.0, 1.0, 1e-30], [1e-20, 1.0, 1e-29]),
        ([0.25, 0.75, 0.0], [0.25, 0.75, 5e-324]),
    ):
        p, q = np.array(target), np.array(proposal)
        residual = rejection.residual_distribution(p, q)
        assert residual.tolist() == target
        assert not np.shares_memory(residual, p)


@pytest.mark.boundary
@pytest.mark.extended
def test_residual_zero_mass_is_not_uniform() -> None:
    """Without residual mass the answer has the target's probabilities and zeros, not the same for every id.

    Matters: a uniform fallback can emit any id of the vocabulary, at the very moment when draft and target agree.
    """
    for masses in ([0.5, 0.25, 0.25, 0.0], [1.0, 0.0], [0.0, 0.125, 0.875], [0.75, 0.25]):
        assert rejection.residual_distribution(np.array(masses), np.array(masses)).tolist() == masses


@pytest.mark.property
@pytest.mark.extended
@given(near_equal())
@examples(50)
def test_residual_near_equality_matches_rationals(pair: Pair) -> None:
    """However small Z is, each entry is within n + 3 roundings of the exact quotient, relative to its size.

    Matters: normalizing by a tiny Z magnifies whatever was lost before it, and good drafts make Z tiny.
    """
    missing = missing_masses(pair.p, pair.q)
    z = sum(missing)
    residual = exact(rejection.residual_distribution(pair.p, pair.q))
    expected = [mass / z for mass in missing] if z else exact(pair.p)
    for mass, right in zip(residual, expected, strict=True):
        assert abs(mass - right) <= residual_bound(pair.n) * right


@pytest.mark.boundary
@pytest.mark.extended
def test_residual_has_no_floor() -> None:
    """A residual mass of 1e-7, 1e-12 or one unit in the last place is divided by itself, not by a larger constant.

    Matters: with a floor the entries sum to less than 1, and the draw falls off the end of the CDF.
    """
    for gap in (1e-6, 1e-7, 1e-12, 2.0**-53):
        residual = rejection.residual_distribution(np.array([0.5 + gap, 0.5 - gap]), np.array([0.5, 0.5]))
        assert residual.tolist() == [1.0, 0.0]


@pytest.mark.boundary
@pytest.mark.extended
def test_residual_tells_close_distributions_apart() -> None:
    """Vectors that agree to eight or twelve digits still have their own residual, not p.

    Matters: falling back to p when draft and target are close counts the kept drafts twice.
    """
    for exponent in range(20, 53):
        gap = 2.0**-exponent
        residual = rejection.residual_distribution(np.array([0.5 - gap, 0.5 + gap]), np.array([0.5, 0.5]))
        assert residual.tolist() == [0.0, 1.0]


@pytest.mark.boundary
@pytest.mark.extended
def test_residual_subtracts_in_float64() -> None:
    """Differences of 1e-9 near 1 and near 0 survive the subtraction with all their digits.

    Matters: one cast to float32 on the way rounds them to nothing, and what remains is the wrong id.
    """
    for p, q in (([1 - 1e-9, 1e-9], [1 - 2e-9, 2e-9]), ([0.3 + 1e-9, 0.2, 0.5 - 1e-9], [0.3, 0.2 - 1e-9, 0.5 + 1e-9])):
        assert rejection.residual_distribution(np.array(p), np.array(q)).tolist() == float_residual(p, q)
    tiny = math.ldexp(1.0, -40)
    residual = rejection.residual_distribution(np.array([0.5 + tiny, 0.25, 0.25 - tiny]), np.array([0.5, 0.25, 0.25]))
    assert residual.tolist() == [1.0, 0.0, 0.0]
