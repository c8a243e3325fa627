"""The acceptance test, and the acceptance probability: which drafts are kept, and how many."""

import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from acidtest.properties.cases import (
    EXAMPLES,
    HAND,
    LAST_UNIFORM,
    OUTSIDE_UNIT,
    OVERLAP_WEIGHTS,
    TINY,
    refuses,
    scaled,
)
from acidtest.properties.dist import exact, over_ids, total_variation
from acidtest.properties.laws import MIDPOINTS, ascending_sum, kept_masses, step_law
from acidtest.properties.strategies import Pair, eighths, examples, pairs
from tinyllm.prob import rejection

RANDOM_MASSES = 400


def random_masses() -> list[tuple[float, float]]:
    """Return (p_x, q_x) with p_x < q_x and non-dyadic ratios, the same ones each time."""
    rng = random.Random(20230211)
    found: list[tuple[float, float]] = []
    while len(found) < RANDOM_MASSES:
        low, high = sorted((rng.randint(1, 999), rng.randint(1, 999)))
        if low < high:
            found.append((low / 1000, high / 1000))
    return found


@pytest.mark.unit
@pytest.mark.chapter
def test_hand_example() -> None:
    """The worked example: each id's ratio, the acceptance probability and the residual come out as on paper.

    Matters: whoever disagrees here has read the definitions differently, and no later failure would make sense.
    """
    assert rejection.rejection_accept(1 / 2, 1 / 4, LAST_UNIFORM) is True
    assert rejection.rejection_accept(1 / 4, 1 / 2, 0.4999) is True
    assert rejection.rejection_accept(1 / 4, 1 / 2, 0.5001) is False
    assert rejection.rejection_accept(0.0, 1 / 4, 0.0001) is False
    assert rejection.acceptance_probability(HAND.p, HAND.q) == 0.5
    assert rejection.residual_distribution(HAND.p, HAND.q).tolist() == [0.5, 0.0, 0.5, 0.0]


@pytest.mark.boundary
@pytest.mark.chapter
def test_accept_is_strict() -> None:
    """A uniform equal to the ratio rejects, and an id without target mass is not even kept at u = 0.

    Matters: generators do hand out 0.0 and the ratio itself; keeping there emits ids that the target never produces.
    """
    for p_x, q_x in ((0.25, 0.5), (0.125, 0.5), (0.1, 0.3), (0.3, 0.7), (5e-324, 1.0)):
        assert rejection.rejection_accept(p_x, q_x, p_x / q_x) is False
    for q_x in (1.0, 0.5, 1e-9, 5e-324):
        assert rejection.rejection_accept(0.0, q_x, 0.0) is False


@pytest.mark.boundary
@pytest.mark.chapter
def test_accept_always_when_target_dominates() -> None:
    """Where p_x >= q_x every uniform below 1 keeps the draft, up to the largest one.

    Matters: an id that the proposal offers too rarely must never be thrown away, or it gets rarer still.
    """
    for p_x, q_x in ((0.5, 0.5), (0.5, 0.25), (0.3, 0.1), (1.0, 1e-9), (1e-9, 1e-9), (0.30000000000000004, 0.3)):
        for u in (0.0, 0.25, 0.5, 0.75, LAST_UNIFORM):
            assert rejection.rejection_accept(p_x, q_x, u) is True


@pytest.mark.boundary
@pytest.mark.chapter
def test_accept_rejects_bad_arguments() -> None:
    """No answer for q_x = 0, for p_x below 0, or for a u outside [0, 1).

    Matters: an answer to an impossible question is a decision all the same, and it biases the output unseen.
    """
    for p_x in (0.0, 0.25, 1.0):
        for u in (0.0, 0.5, 0.99):
            refuses(rejection.rejection_accept, p_x, 0.0, u)
    refuses(rejection.rejection_accept, 0.25, -0.5, 0.5)
    refuses(rejection.rejection_accept, -0.25, 0.5, 0.5)
    refuses(rejection.rejection_accept, -(2.0**-1074), 0.5, 0.5)
    for u in (1.0, 1.5, -0.25, -(2.0**-1074)):
        refuses(rejection.rejection_accept, 0.25, 0.5, u)
        refuses(rejection.rejection_accept, 0.5, 0.25, u)


@pytest.mark.statistical
@pytest.mark.chapter
@given(eighths(6))
@examples(20)
def test_acceptance_rate_matches_acceptance_probability(pair: Pair) -> None:
    """The enumerated share of kept drafts equals ``acceptance_probability``, and the sum of min(p_i, q_i), exactly.

    Matters: the serving layer reports this number as its acceptance rate and sizes its drafts by it.
    """
    rate = step_law(rejection.speculative_step, pair.p, pair.q, MIDPOINTS).of(lambda outcome: outcome[1])
    assert rate == sum(kept_masses(pair.p, pair.q))
    assert exact([rejection.acceptance_probability(pair.p, pair.q)]) == (rate,)


@pytest.mark.boundary
@pytest.mark.extended
def test_accept_just_below_the_ratio() -> None:
    """The largest uniform below the ratio still keeps the draft, whatever the size of q_x.

    Matters: a safety term added to the denominator shrinks every ratio, most of all for rare ids.
    """
    for p_x, q_x in ((0.25, 0.5), (0.1, 0.3), (1e-6, 2e-6), (1e-12, 3e-12), (0.9999999, 1.0)):
        assert rejection.rejection_accept(p_x, q_x, math.nextafter(p_x / q_x, 0.0)) is True
    assert rejection.rejection_accept(5e-324, 1.0, 0.0) is True
    for p_x, q_x in random_masses():
        assert rejection.rejection_accept(p_x, q_x, math.nextafter(p_x / q_x, 0.0)) is True


@pytest.mark.boundary
@pytest.mark.extended
def test_accept_divides() -> None:
    """At u = fl(p_x / q_x) the draft is rejected even where fl(u * q_x) < p_x, and kept one float below.

    Matters: the product rounds elsewhere than the quotient, so an engine that multiplies makes other decisions.
    """
    multiplying_keeps = ((0.054, 0.811), (0.015, 0.587), (0.191, 0.283), (0.236, 0.451))
    multiplying_rejects = ((0.185, 0.79), (0.549, 0.736), (0.706, 0.809))
    for p_x, q_x in (*multiplying_keeps, *multiplying_rejects, *random_masses()):
        assert rejection.rejection_accept(p_x, q_x, p_x / q_x) is False
    for p_x, q_x in multiplying_rejects:
        assert rejection.rejection_accept(p_x, q_x, math.nextafter(p_x / q_x, 0.0)) is True


@pytest.mark.boundary
@pytest.mark.extended
def test_accept_refuses_zero_over_zero() -> None:
    """No mass on either side is an error at every u, not a comparison with NaN.

    Matters: ``not u > nan`` is true, so a padded or masked id would be emitted as if the target had wanted it.
    """
    for u in (0.0, 0.5, 0.99, LAST_UNIFORM):
        refuses(rejection.rejection_accept, 0.0, 0.0, u)


@pytest.mark.boundary
@pytest.mark.extended
def test_accept_refuses_nan_and_infinities() -> None:
    """NaN and the infinities are refused in each of the three places.

    Matters: a NaN logit upstream has to stop here; any comparison with it silently picks a side.
    """
    for bad in (math.nan, math.inf, -math.inf):
        refuses(rejection.rejection_accept, bad, 0.5, 0.25)
        refuses(rejection.rejection_accept, 0.25, bad, 0.25)
        refuses(rejection.rejection_accept, 0.25, 0.5, bad)
    for u in OUTSIDE_UNIT:
        refuses(rejection.rejection_accept, 1.0, 0.5, u)


@pytest.mark.unit
@pytest.mark.extended
def test_accept_returns_a_plain_bool() -> None:
    """The answer is ``True`` or ``False`` itself, also for numpy scalars.

    Matters: callers write ``is True`` and serialize the flag; ``np.True_`` does neither.
    """
    for u, kept in ((0.25, True), (0.75, False)):
        assert rejection.rejection_accept(0.25, 0.5, u) is kept
        assert rejection.rejection_accept(np.float64(0.25), np.float64(0.5), np.float64(u)) is kept


@pytest.mark.property
@pytest.mark.extended
@given(pairs())
@examples(40)
def test_acceptance_probability_is_the_ascending_sum(pair: Pair) -> None:
    """Bit for bit the left-to-right loop over min(p_i, q_i), as a plain float, whichever argument comes first.

    Matters: the number is logged by two engines in two languages and compared for equality.
    """
    expected = ascending_sum([min(a, b) for a, b in zip(pair.p.tolist(), pair.q.tolist(), strict=True)])
    for alpha in (rejection.acceptance_probability(pair.p, pair.q), rejection.acceptance_probability(pair.q, pair.p)):
        assert type(alpha) is float
        assert alpha == expected


@pytest.mark.unit
@pytest.mark.extended
def test_acceptance_probability_is_one_minus_total_variation() -> None:
    """On the examples in eighths alpha is 1 less half the sum of all |p_i - q_i|, exactly.

    Matters: drafts are tuned by their distance to the target, and the half is easily lost.
    """
    for example in EXAMPLES:
        distance = total_variation(over_ids(example.target), over_ids(example.proposal))
        assert rejection.acceptance_probability(example.p, example.q) == 1 - distance == example.alpha


@pytest.mark.boundary
@pytest.mark.extended
def test_acceptance_probability_is_neither_clamped_nor_compensated() -> None:
    """A sum of 1.0000000000000002 is returned as it is, and nine ids whose other sums all differ give the loop's.

    Matters: pairwise, compensated, exact and reversed sums are each right on paper and wrong by a bit.
    """
    p = np.array([2, 4, 3, 1]) / 10
    assert rejection.acceptance_probability(p, p.copy()) == 1.0000000000000002
    p, q = map(scaled, OVERLAP_WEIGHTS)
    expected = ascending_sum([min(a, b) for a, b in zip(p.tolist(), q.tolist(), strict=True)])
    assert rejection.acceptance_probability(p, q) == expected


@pytest.mark.unit
@pytest.mark.extended
def test_accept_takes_masses_above_one() -> None:
    """Any finite p_x >= 0 and q_x > 0 are answered: only their ratio counts.

    Matters: an entry of a distribution may be 1.0000000005, and weights that are not normalized have ratios too.
    """
    assert rejection.rejection_accept(1.0000000005, 1.0, LAST_UNIFORM) is True
    assert rejection.rejection_accept(1.0, 1.0000000005, LAST_UNIFORM) is False
    assert rejection.rejection_accept(3.0, 4.0, 0.7499) is True
    assert rejection.rejection_accept(1e300, 4e300, 0.25) is False
    assert rejection.rejection_accept(1.7e308, 1.7e308, LAST_UNIFORM) is True


@pytest.mark.boundary
@pytest.mark.extended
def test_accept_is_right_where_the_ratio_leaves_the_range() -> None:
    """A ratio that overflows keeps every draft, one that underflows to 0 keeps none, and nothing warns.

    Matters: numpy scalars warn where Python's division is silent, and a server that turns warnings to errors stops.
    """
    for kind in (float, np.float64):
        for p_x, q_x in ((1.0, TINY), (1e308, 1e-308), (0.5, 1e-309)):
            for u in (0.0, LAST_UNIFORM):
                assert rejection.rejection_accept(kind(p_x), kind(q_x), kind(u)) is True
        for p_x, q_x in ((TINY, 0.5), (3e-310, 0.7), (3 * TINY, 7 * TINY), (1e-250, 3e-250)):
            ratio = p_x / q_x
            assert rejection.rejection_accept(kind(p_x), kind(q_x), kind(ratio)) is False
            assert rejection.rejection_accept(kind(p_x), kind(q_x), kind(math.nextafter(ratio, 0.0))) is True
        assert rejection.rejection_accept(kind(TINY), kind(4.0), kind(0.0)) is False


@pytest.mark.unit
@pytest.mark.extended
def test_accept_divides_and_compares_in_float64() -> None:
    """float32 masses and uniforms, ints and -0.0 are answered as the float64 numbers they stand for.

    Matters: probabilities often arrive as float32, and a quotient in float32 is off at the ninth digit.
    """
    p_x: Any = np.float32(0.1)
    q_x: Any = np.float32(0.3)
    u: Any = np.float32(0.7)
    ratio = float(p_x) / float(q_x)
    assert ratio != float(p_x / q_x)
    assert rejection.rejection_accept(p_x, q_x, ratio) is False
    assert rejection.rejection_accept(p_x, q_x, math.nextafter(ratio, 0.0)) is True
    assert float(u) < 0.7
    assert rejection.rejection_accept(0.7, 1.0, u) is True
    assert rejection.rejection_accept(1, 2, 0) is True
    assert rejection.rejection_accept(0.5, 0.5, -0.0) is True
    assert rejection.rejection_accept(-0.0, 0.5, 0.0) is False
    refuses(rejection.rejection_accept, 0.5, -0.0, 0.5)


@pytest.mark.boundary
@pytest.mark.extended
def test_acceptance_probability_counts_every_mass() -> None:
    """Masses of 5e-324 count, and those that come after the sum has reached 1 do too.

    Matters: alpha near 0 is the one figure that tells a useless draft model from one that is merely poor.
    """
    for tiny in (1e-16, 1e-101, TINY):
        assert rejection.acceptance_probability([1.0, tiny], [tiny, 1.0]) == 2 * tiny
    assert rejection.acceptance_probability([1.0, 5e-10], [1.0, 5e-10]) == 1.0 + 5e-10
    assert rejection.acceptance_probability([0.5, 0.5 - 5e-10], [0.5, 0.5 - 5e-10]) == 1.0 - 5e-10
