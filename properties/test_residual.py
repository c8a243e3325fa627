"""The residual distribution: what keeping drafts leaves missing from the target, and its hard corners."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from acidtest.properties.cases import EXAMPLES, EXCESS_WEIGHTS, SECOND, scaled
from acidtest.properties.dist import UNITS, exact, in_units
from acidtest.properties.laws import float_residual, missing_masses, residual_bound
from acidtest.properties.strategies import Pair, examples, pairs, partial_zeros
from tinyllm.prob import rejection

UNIT_ROUNDOFF = Fraction(1, 2**53)


@pytest.mark.property
@pytest.mark.chapter
@given(pairs())
@examples(60)
def test_residual_is_a_distribution(pair: Pair) -> None:
    """No entry below 0, sum 1, and (1 - alpha) * res_i = max(0, p_i - q_i) for every id, alpha computed apart.

    Alpha and the right side are exact for the inputs, whose own sum stands for the 1, and in whole units of 2**-1074;
    near equality both sides are tiny, so the bound is relative.

    Matters: the categorical sampler demands a distribution, and only this one gives back what rejection took away.
    """
    target, proposal = in_units(pair.p), in_units(pair.q)
    rejected = sum(target) - sum(map(min, target, proposal))
    residual = in_units(rejection.residual_distribution(pair.p, pair.q))
    assert len(residual) == pair.n
    assert min(residual) >= 0
    if rejected == 0:
        assert residual == target
        return
    most, of = residual_bound(pair.n).as_integer_ratio()
    assert abs(sum(residual) - UNITS) * of <= most * UNITS
    for mass, p_i, q_i in zip(residual, target, proposal, strict=True):
        missing = max(0, p_i - q_i) * UNITS
        assert abs(rejected * mass - missing) * of <= most * missing


@pytest.mark.boundary
@pytest.mark.chapter
def test_residual_when_p_equals_q() -> None:
    """Equal arguments give the target back, bit for bit, in memory of its own.

    Matters: 0/0 would poison the next draw with NaN, and a shared array lets a later edit corrupt the target.
    """
    for masses in ([0.5, 0.25, 0.25, 0.0], [0.1, 0.2, 0.7], [1.0], [0.0, 1.0], [1 / 3, 1 / 3, 1 / 3]):
        p = np.array(masses)
        for q in (p.copy(), p):
            residual = rejection.residual_distribution(p, q)
            assert residual.tolist() == masses
            assert not np.shares_memory(residual, p)
            assert not np.shares_memory(residual, q)
            residual[0] = 7.0
            assert p.tolist() == masses


@pytest.mark.boundary
@pytest.mark.chapter
def test_residual_disjoint_supports_is_p() -> None:
    """Where no id has mass in both, alpha is 0 and the residual is the target itself.

    Matters: a useless draft model may slow the engine down, and must not change a single probability.
    """
    for target, proposal in (
        ([0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]),
        ([0.0, 0.25, 0.0, 0.75], [0.125, 0.0, 0.875, 0.0]),
        ([0.0, 0.0, 1.0], [0.5, 0.5, 0.0]),
        ([0.0, 0.125, 0.25, 0.0, 0.625], [1.0, 0.0, 0.0, 0.0, 0.0]),
        ([1.0, 0.0], [0.0, 1.0]),
    ):
        assert rejection.acceptance_probability(np.array(target), np.array(proposal)) == 0.0
        assert rejection.residual_distribution(np.array(target), np.array(proposal)).tolist() == target


@pytest.mark.unit
@pytest.mark.chapter
def test_residual_sum_is_ascending() -> None:
    """Z is the left-to-right loop, on vectors whose pairwise sum differs from it, and compensated or reversed ones too.

    Matters: one bit of Z moves every step of the residual's CDF, and the port in another language draws another id.
    """
    for weights_p, weights_q in EXCESS_WEIGHTS:
        p, q = scaled(weights_p), scaled(weights_q)
        assert rejection.residual_distribution(p, q).tolist() == float_residual(p.tolist(), q.tolist())


@pytest.mark.unit
@pytest.mark.extended
def test_residual_second_hand_example() -> None:
    """p = [1/2, 1/8, 3/8, 0], q = [1/8, 1/2, 1/8, 1/4] leave [3/5, 0, 2/5, 0], and so on for more eighths.

    Matters: with two equal entries any monotone function of the excess looks right once normalized.
    """
    assert rejection.residual_distribution(SECOND.p, SECOND.q).tolist() == [0.6, 0.0, 0.4, 0.0]
    for example in EXAMPLES:
        expected = [float(mass) for mass in example.residual]
        assert rejection.residual_distribution(example.p, example.q).tolist() == expected


@pytest.mark.property
@pytest.mark.extended
@given(partial_zeros())
@examples(40)
def test_residual_support_is_exact(pair: Pair) -> None:
    """An id has residual mass exactly where p_i > q_i; elsewhere the entry is 0.0, not merely small.

    Matters: a floor in place of zero lets the engine emit ids that the target forbids.
    """
    p, q = pair.p.tolist(), pair.q.tolist()
    residual = rejection.residual_distribution(pair.p, pair.q).tolist()
    expected = [a > b for a, b in zip(p, q, strict=True)] if p != q else [a > 0.0 for a in p]
    assert [mass > 0.0 for mass in residual] == expected
    assert min(residual) == 0.0 or all(expected)


@pytest.mark.unit
@pytest.mark.extended
def test_residual_is_proportional_to_the_excess() -> None:
    """Two entries stand to each other as the two excesses do: no exponential or logarithm in between.

    On eighths the excesses d and their sum Z are exact, and each quotient rounds once: the cross products differ by at
    most 2 * 2**-53 * d_i * d_j / Z, and Z is at least 1/8.

    Matters: a softmax or log-odds is a distribution too, passes every check of shape, and draws the wrong ids.
    """
    for example in EXAMPLES:
        residual = exact(rejection.residual_distribution(example.p, example.q))
        missing = missing_masses(example.p, example.q)
        for mass, excess in zip(residual, missing, strict=True):
            for other_mass, other_excess in zip(residual, missing, strict=True):
                assert abs(mass * other_excess - other_mass * excess) <= 2 * UNIT_ROUNDOFF * excess * other_excess * 8


@pytest.mark.unit
@pytest.mark.extended
def test_residual_subtracts_id_by_id() -> None:
    """Renaming the ids of both arguments renames the residual's, whatever gaps their supports have.

    Matters: proposals kept as a compacted list of candidates get subtracted from the wrong ids of the target.
    """
    for example in EXAMPLES:
        n = len(example.target)
        expected = [float(mass) for mass in example.residual]
        for shift in range(n):
            for order in (range(n), range(n - 1, -1, -1)):
                ids = [(index + shift) % n for index in order]
                residual = rejection.residual_distribution(example.p[ids], example.q[ids])
                assert residual.tolist() == [expected[index] for index in ids]


@pytest.mark.property
@pytest.mark.extended
@given(pairs())
@examples(40)
def test_residual_is_right_to_the_bit(pair: Pair) -> None:
    """Every entry is the float64 quotient of the float64 excess by the ascending sum, bit for bit.

    Matters: two engines that share a seed must draw the same id, so there is one right float.
    """
    expected = float_residual(pair.p.tolist(), pair.q.tolist())
    assert rejection.residual_distribution(pair.p, pair.q).tolist() == expected
