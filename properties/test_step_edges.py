"""The speculative step where floats end: no residual mass, ties of the CDF, the discrete law, odd arguments."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acidtest.properties.cases import (
    EXAMPLES,
    EXCESS_WEIGHTS,
    HAND,
    LAST_UNIFORM,
    OUTSIDE_UNIT,
    SECOND,
    TINY,
    refuses,
    scaled,
    weighted_pairs,
)
from acidtest.properties.laws import (
    DISCRETE,
    ascending_sum,
    cdf_edges,
    float_residual,
    inverse_cdf,
    missing_masses,
    paper_step_law,
    step_bound,
    step_law,
)
from acidtest.properties.strategies import Pair, examples, near_equal, partial_zeros, wide
from tinyllm.prob import rejection


@pytest.mark.statistical
@pytest.mark.extended
@given(st.one_of(wide(5), partial_zeros(5), near_equal(5)))
@examples(20)
def test_step_discrete_law_is_within_its_bound(pair: Pair) -> None:
    """Under uniforms k * 2**-53 the law of (id, kept) differs from the paper's by rounding alone, within its bound.

    Matters: it is the law that really runs; the bound says how little of it is not the theorem's.
    """
    p, q = pair.p.tolist(), pair.q.tolist()
    if p != q and not any(missing_masses(p, q)):
        return  # here a rejection has no replacement: test_step_without_residual_mass_raises
    law, paper = step_law(rejection.speculative_step, p, q, DISCRETE), paper_step_law(p, q)
    for outcome in {*law, *paper}:
        assert abs(law[outcome] - paper[outcome]) <= step_bound(pair.n)


@pytest.mark.boundary
@pytest.mark.extended
def test_step_refuses_a_negative_draft() -> None:
    """x = -1 is no id, though Python would index with it, and though the last id could be kept.

    Matters: an empty slot of a draft buffer is often -1, and would be emitted as a token.
    """
    for u_accept in (0.0, 0.5, 0.99):
        refuses(rejection.speculative_step, np.array([0.5, 0.5]), np.array([0.5, 0.5]), -1, u_accept, 0.5)
        refuses(rejection.speculative_step, np.array([0.5, 0.5]), np.array([0.75, 0.25]), -2, u_accept, 0.5)


@pytest.mark.boundary
@pytest.mark.extended
def test_step_draft_must_be_an_integer() -> None:
    """Floats, text and None are refused as ids; numpy integers are taken and come back as plain ones.

    Matters: truncating 1.9 to 1 hides that ids and probabilities were swapped somewhere.
    """
    draft: Any
    for draft in (1.0, 0.5, math.nan, "1", None, np.float64(1.0), (1,)):
        refuses(rejection.speculative_step, HAND.p, HAND.q, draft, 0.25, 0.5)
    for draft in (np.int64(1), np.uint8(1)):
        x, kept = rejection.speculative_step(HAND.p, HAND.q, draft, 0.25, 0.5)
        assert (type(x), x, kept) == (int, 1, True)


@pytest.mark.boundary
@pytest.mark.extended
def test_step_without_residual_mass_raises() -> None:
    """A draft that is rejected where p exceeds q nowhere raises ``ZeroResidualError``; kept drafts are kept as ever.

    Matters: the alternatives are an impossible token or a draw from the wrong law, both without a trace.
    """
    assert issubclass(rejection.ZeroResidualError, ArithmeticError)
    p, q = np.array([1.0, 1e-17]), np.array([1.0, 2e-17])
    for u_accept in (0.5, 0.75, LAST_UNIFORM):
        with pytest.raises(rejection.ZeroResidualError):
            rejection.speculative_step(p, q, 1, u_accept, 0.5)
    assert rejection.speculative_step(p, q, 1, 0.25, 0.5) == (1, True)
    assert rejection.speculative_step(p, q, 0, LAST_UNIFORM, 0.5) == (0, True)


@pytest.mark.boundary
@pytest.mark.extended
def test_step_keeps_every_draft_when_p_equals_q() -> None:
    """Equal distributions keep each draft at every uniform, and never ask for a residual.

    Matters: it is the one case where Z = 0 is ordinary, and it must not look like the exceptional one.
    """
    for masses in ([0.5, 0.25, 0.25], [0.1, 0.2, 0.7], [1.0], [1e-17, 1.0]):
        for x in range(len(masses)):
            for u_accept in (0.0, 0.5, LAST_UNIFORM):
                assert rejection.speculative_step(np.array(masses), np.array(masses), x, u_accept, 0.5) == (x, True)


@pytest.mark.boundary
@pytest.mark.extended
def test_step_refuses_bad_uniforms() -> None:
    """u_accept outside [0, 1) is refused always, u_resample outside [0, 1) once the draft is rejected.

    Matters: 1.0 comes out of careless generators and float32 casts, and selects past the end of a CDF.
    """
    for bad in OUTSIDE_UNIT:
        for x in (0, 1, 3):
            refuses(rejection.speculative_step, HAND.p, HAND.q, x, bad, 0.5)
        for x, u_accept in ((1, 0.5), (1, 0.75), (3, 0.0)):
            refuses(rejection.speculative_step, HAND.p, HAND.q, x, u_accept, bad)


@pytest.mark.boundary
@pytest.mark.extended
def test_step_replacement_at_ties_of_the_cdf() -> None:
    """At u' equal to a step of the residual's CDF the next id with mass is drawn, one float below it the earlier one.

    Matters: both engines land on the tie for the same seed and must leave it on the same side.
    """
    for example, tie in ((HAND, 0.5), (SECOND, 0.375 / 0.625)):
        for x, u_accept in ((1, 0.9), (3, 0.0)):
            step = rejection.speculative_step
            assert step(example.p, example.q, x, u_accept, tie) == (2, False)
            assert step(example.p, example.q, x, u_accept, math.nextafter(tie, 0.0)) == (0, False)


@pytest.mark.boundary
@pytest.mark.extended
def test_step_replacement_at_the_end_of_the_cdf() -> None:
    """Where the residual's running sum ends below the largest uniform, the last id with residual mass is drawn.

    Matters: the id behind it, often padding, has no mass in the target at all.
    """
    p, q = scaled([1, 9, 5, 2, 6, 0]), scaled([4, 7, 1, 4, 5, 3])
    assert ascending_sum(float_residual(p.tolist(), q.tolist())) < 1.0
    assert rejection.speculative_step(p, q, 0, LAST_UNIFORM, LAST_UNIFORM) == (4, False)
    assert rejection.speculative_step(p, q, 5, 0.0, LAST_UNIFORM) == (4, False)
    assert rejection.speculative_step(p, q, 5, 0.0, 0.0) == (1, False)


@pytest.mark.unit
@pytest.mark.extended
def test_step_returns_a_plain_int_and_bool() -> None:
    """The pair is a tuple of a plain int and a plain bool, kept or replaced.

    Matters: token ids go into JSON and into dictionaries; numpy scalars do not survive the first.
    """
    for example in EXAMPLES:
        for x, mass in enumerate(example.proposal):
            if mass:
                for u_accept in (0.0, LAST_UNIFORM):
                    answer = rejection.speculative_step(example.p, example.q, x, u_accept, 0.5)
                    assert [type(answer), *map(type, answer)] == [tuple, int, bool]


@pytest.mark.boundary
@pytest.mark.extended
def test_step_replacement_is_right_to_the_bit() -> None:
    """At every running sum of the float64 residual, and one float below it, the replacement is the contract's.

    The last two pairs are disjoint with a target that sums to 0.9999999999999999, so that the residual is not p.

    Matters: comparing with u' * Z, or dividing a CDF by its end, is the same on paper and another token at the edge.
    """
    tenths = [0.1] * 10
    pairs = [*weighted_pairs(30, 9), *((scaled(p).tolist(), scaled(q).tolist()) for p, q in EXCESS_WEIGHTS)]
    pairs += [([*tenths, 0.0], [0.0] * 10 + [1.0]), ([0.0, *tenths], [1.0] + [0.0] * 10)]
    for p, q in pairs:
        x = min(range(len(p)), key=lambda index: p[index] - q[index])
        residual = float_residual(p, q)
        for u in cdf_edges(residual):
            step = rejection.speculative_step(np.array(p), np.array(q), x, LAST_UNIFORM, u)
            assert step == (inverse_cdf(residual, u), False)


@pytest.mark.boundary
@pytest.mark.extended
def test_step_replaces_from_the_smallest_residual() -> None:
    """A residual mass of 1e-30, 1e-200 or 5e-324 is mass: the draft is replaced by it, without ``ZeroResidualError``.

    Matters: the error says that nothing is left; raised for little, it stops a request that has a right answer.
    """
    for tiny in (1e-17, 1e-20, 1e-30, 1e-200, 1e-310, TINY):
        p, q = np.array([1.0, 0.0, tiny]), np.array([1.0, tiny, 0.0])
        for u_resample in (0.0, 0.5, LAST_UNIFORM):
            assert rejection.speculative_step(p, q, 1, 0.0, u_resample) == (2, False)
        assert rejection.speculative_step(q, q, 1, LAST_UNIFORM, 0.5) == (1, True)


@pytest.mark.boundary
@pytest.mark.extended
def test_step_keeps_a_draft_whose_ratio_overflows() -> None:
    """A draft with q_x = 5e-324 and p_x = 1/2 has an infinite ratio in float64, and is kept without a warning.

    Matters: a rare draft is the best one to keep; numpy's division warns here and Python's does not.
    """
    for q_x in (1e-300, 1e-308, TINY):
        p, q = np.array([0.5, 0.5]), np.array([1.0, q_x])
        for u_accept in (0.0, LAST_UNIFORM):
            assert rejection.speculative_step(p, q, 1, u_accept, 0.5) == (1, True)


@pytest.mark.boundary
@pytest.mark.extended
def test_step_draft_is_whatever_is_an_index() -> None:
    """``operator.index`` decides: True, and any object with ``__index__``, are ids and come back as plain ints.

    Integers past 64 bits are out of range like any other.

    Matters: array libraries have integers of their own, and an ``OverflowError`` is not caught as a bad draft.
    """

    class Id:
        def __index__(self) -> int:
            return 1

    draft: Any
    for draft in (True, Id(), np.array(1), np.int8(1)):
        for u_accept, kept in ((0.25, True), (0.75, False)):
            answer = rejection.speculative_step(HAND.p, HAND.q, draft, u_accept, 0.75)
            assert [*map(type, answer)] == [int, bool]
            assert answer == (1 if kept else 2, kept)
    for draft in (2**63, 2**64 + 1, 2**70, -(2**63), -(2**70)):
        refuses(rejection.speculative_step, HAND.p, HAND.q, draft, 0.25, 0.5)


@pytest.mark.boundary
@pytest.mark.extended
def test_step_checks_drafts_and_uniforms_of_equal_vectors_too() -> None:
    """Where p equals q, or is the same array, a draft outside, one without mass and a bad u_accept are refused.

    So is a draft without mass on either side.

    Matters: "equal, so keep" is a tempting first line, and it lets padding and NaN through.
    """
    p = HAND.p
    for q in (p.copy(), p, p.tolist()):
        for x in (3, 4, -1, 2**70):
            refuses(rejection.speculative_step, p, q, x, 0.5, 0.5)
        for bad in OUTSIDE_UNIT:
            refuses(rejection.speculative_step, p, q, 0, bad, 0.5)
    for u_accept in (0.0, 0.5, LAST_UNIFORM):
        refuses(rejection.speculative_step, [0.25, 0.75, 0.0], [0.5, 0.5, 0.0], 2, u_accept, 0.5)


@pytest.mark.boundary
@pytest.mark.extended
def test_step_checks_u_resample_even_where_one_id_is_left() -> None:
    """A residual with one positive entry leaves no choice, and a u' outside [0, 1) is refused all the same.

    Matters: the generator is broken whatever the answer would have been; the next draw would not be so lucky.
    """
    for p, q, x in (([0.25, 0.75], [0.5, 0.5], 0), ([0.0, 1.0], [1.0, 0.0], 0), ([0.5, 0.0, 0.5], [0.5, 0.5, 0.0], 1)):
        for bad in OUTSIDE_UNIT:
            refuses(rejection.speculative_step, np.array(p), np.array(q), x, 0.75, bad)


@pytest.mark.unit
@pytest.mark.extended
def test_step_reads_uniforms_as_float64() -> None:
    """Integers, -0.0 and float32 are taken as uniforms, and compared at float64's precision.

    Matters: a generator of float32 uniforms is common, and a comparison in its precision moves the boundary.
    """
    p, q = np.array([0.7, 0.3, 0.0]), np.array([0.0, 0.0, 1.0])
    below: Any = np.float32(0.7)
    u_resample: Any
    u_accept: Any
    assert float(below) < 0.7 == float_residual(p.tolist(), q.tolist())[0]
    for u_resample, x in ((0, 0), (-0.0, 0), (below, 0), (np.float32(0.75), 1), (np.float16(0.75), 1)):
        assert rejection.speculative_step(p, q, 2, 0, u_resample) == (x, False)
    for u_accept in (0, -0.0, np.float32(0.5), below):
        assert rejection.speculative_step(np.array([0.7, 0.3]), np.array([1.0, 0.0]), 0, u_accept, 0.5) == (0, True)
