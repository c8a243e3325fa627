"""The speculative step where floats end: no residual mass, ties of the CDF, the discrete law, odd arguments."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acidtest.properties.cases import EXAMPLES, HAND, LAST_UNIFORM, OUTSIDE_UNIT, SECOND, refuses, scaled
from acidtest.properties.laws import (
    DISCRETE,
    ascending_sum,
    float_residual,
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
