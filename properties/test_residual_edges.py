"""The residual distribution where it is hard: hardly any mass, no mass, and what must not be touched."""

import array
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from acidtest.properties.cases import EXAMPLES, TINY
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


@pytest.mark.boundary
@pytest.mark.extended
def test_residual_of_the_smallest_masses() -> None:
    """A Z of 1e-20, 1e-200 or a few times 5e-324 is divided by like any other, and tiny residual entries stay.

    Matters: whatever is called negligible here comes back as p, with the kept drafts counted twice.
    """
    for tiny in (2.0**-70, 2.0**-340, 2.0**-1030, TINY):
        residual = rejection.residual_distribution(np.array([1.0, tiny, 0.0]), np.array([1.0, 0.0, 0.0]))
        assert residual.tolist() == [0.0, 1.0, 0.0]
        residual = rejection.residual_distribution(np.array([1.0, tiny, 3 * tiny]), np.array([1.0, 0.0, 0.0]))
        assert residual.tolist() == [0.0, 0.25, 0.75]
        residual = rejection.residual_distribution(np.array([1.0, tiny, 0.0]), np.array([0.5, 0.0, 0.5]))
        assert residual.tolist() == [1.0, 2 * tiny, 0.0]


@pytest.mark.boundary
@pytest.mark.extended
def test_residual_can_be_an_argument_itself() -> None:
    """A residual that is handed back in as an argument keeps its bits, and shares no memory with the new one.

    The two supports are disjoint, so that the residual's own bits are p's again.

    Matters: an output buffer or a cache that is used twice overwrites an earlier answer while it is being read.
    """
    p, q, other = np.array([0.25, 0.75, 0.0, 0.0]), np.array([0.0, 0.0, 0.5, 0.5]), np.array([0.5, 0.25, 0.0, 0.25])
    first = rejection.residual_distribution(p, q)
    for proposal, expected in ((q, [0.25, 0.75, 0.0, 0.0]), (other, [0.0, 1.0, 0.0, 0.0])):
        second = rejection.residual_distribution(first, proposal)
        assert second.tolist() == expected
        assert first.tolist() == [0.25, 0.75, 0.0, 0.0]
        assert not np.shares_memory(first, second)


@pytest.mark.boundary
@pytest.mark.extended
def test_residual_is_float64_whatever_came_in() -> None:
    """Equal arguments of float32, integers, booleans, big-endian floats or an array's subclass give plain float64.

    Matters: where Z is 0 the answer is a copy of p, and a copy keeps the caller's type unless someone converts it.
    """

    class Tagged(np.ndarray[Any, Any]):
        pass

    masses = np.array([0.0, 1.0, 0.0])
    argument: Any
    q: Any
    arguments: list[Any] = [masses.astype(kind) for kind in (np.float32, np.float16, np.int64, np.bool_, ">f8", object)]
    for argument in (*arguments, masses.view(Tagged), array.array("d", masses), (0, 1, 0)):
        for q in (argument, [0.0, 0.5, 0.5]):
            residual = rejection.residual_distribution(argument, q)
            assert (type(residual), residual.dtype.str) == (np.ndarray, np.dtype(np.float64).str)
            assert residual.tolist() == [0.0, 1.0, 0.0]
