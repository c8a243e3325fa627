"""Exact laws: the enumeration agrees with the paper's formulas, and black boxes are measured or declined."""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from acidtest.properties.cases import EXAMPLES, HAND, SECOND
from acidtest.properties.dist import Dist, over_ids, total_variation
from acidtest.properties.laws import (
    DISCRETE,
    MIDPOINTS,
    TRY_MIDPOINTS,
    Step,
    cdf_edges,
    float_residual,
    inverse_cdf,
    missing_masses,
    paper_step_law,
    paper_try_law,
    residual_bound,
    step_bound,
    step_law,
    try_law,
)
from acidtest.properties.rectangles import UndecidedError
from acidtest.properties.strategies import Pair, eighths, examples, pairs, wide
from tinyllm.prob import categorical, rejection

Array = NDArray[np.float64]


def step_with(draw: Callable[[Array, Array, int, float, float], int]) -> Step:
    """Return a step that keeps drafts as it should, and replaces the rejected ones by ``draw``."""

    def step(p: Array, q: Array, x: int, u_accept: float, u_resample: float) -> tuple[int, bool]:
        if u_accept < p[x] / q[x]:
            return x, True
        return draw(p, q, x, u_accept, u_resample), False

    return step


def ids(law: Dist[tuple[int, bool]]) -> Dist[int]:
    return law.image(lambda outcome: outcome[0])


def brute_force(step: Step, p: Array, q: Array, size: int) -> Dist[tuple[int, bool]]:
    """Return the law on the midpoints of ``size`` parts, by asking for every pair of uniforms."""
    uniforms = [(k + 0.5) / size for k in range(size)]
    masses: dict[tuple[int, bool], Fraction] = {}
    for x, mass in enumerate(q.tolist()):
        for u in uniforms if mass else ():
            for v in uniforms:
                outcome = step(p, q, x, u, v)
                masses[outcome] = masses.get(outcome, Fraction(0)) + Fraction(mass) / size**2
    return Dist(masses)


@given(eighths())
@examples(40)
def test_on_eighths_enumeration_and_formula_and_target_agree(pair: Pair) -> None:
    law = step_law(rejection.speculative_step, pair.p, pair.q, MIDPOINTS)
    assert law == paper_step_law(pair.p, pair.q)
    assert ids(law) == over_ids(pair.p.tolist())


@given(wide(8))
@examples(25)
def test_the_discrete_law_stays_within_its_bound(pair: Pair) -> None:
    p, q = pair.p.tolist(), pair.q.tolist()
    if p != q and not any(missing_masses(p, q)):
        return
    law, paper = step_law(rejection.speculative_step, p, q, DISCRETE), paper_step_law(p, q)
    assert all(abs(law[outcome] - paper[outcome]) <= step_bound(pair.n) for outcome in {*law, *paper})


def test_the_discrete_law_is_not_the_law_of_the_mathematics() -> None:
    p, q = np.array([0.125, 0.875]), np.array([0.375, 0.625])
    law = step_law(rejection.speculative_step, p, q, DISCRETE)
    assert law[0, True] == Fraction(3, 8) * Fraction(math.ceil(Fraction(0.125 / 0.375) * 2**53), 2**53)
    assert law[0, True] != Fraction(1, 8)
    assert ids(law) != over_ids([0.125, 0.875])


def test_all_pairs_of_uniforms_give_the_same_law() -> None:
    for step in (
        rejection.speculative_step,
        step_with(lambda p, q, x, u, v: categorical.sample_categorical(q, v)),
        step_with(lambda p, q, x, u, v: categorical.sample_categorical(float_residual(p.tolist(), q.tolist()), u)),
    ):
        brute = brute_force(step, SECOND.p, SECOND.q, 40)
        assert step_law(step, SECOND.p, SECOND.q, MIDPOINTS) == brute


def test_a_replacement_from_the_proposal_is_measured() -> None:
    step = step_with(lambda p, q, x, u, v: categorical.sample_categorical(q, v))
    for lattice in (MIDPOINTS, DISCRETE):
        assert ids(step_law(step, HAND.p, HAND.q, lattice)) == over_ids([0.375, 0.5, 0.0, 0.125])


def test_a_replacement_that_reuses_u_is_an_eighth_away_or_undecided_never_a_quarter() -> None:
    step = step_with(lambda p, q, x, u, v: categorical.sample_categorical(float_residual(p.tolist(), q.tolist()), u))
    for lattice in (MIDPOINTS, DISCRETE):
        law = ids(step_law(step, HAND.p, HAND.q, lattice))
        assert total_variation(law, over_ids(HAND.target)) == Fraction(1, 8)


def test_a_replacement_that_adds_both_uniforms_is_undecided() -> None:
    def draw(p: Array, q: Array, x: int, u: float, v: float) -> int:
        return categorical.sample_categorical(float_residual(p.tolist(), q.tolist()), (u + v) % 1.0)

    for lattice in (MIDPOINTS, DISCRETE):
        with pytest.raises(UndecidedError):
            step_law(step_with(draw), HAND.p, HAND.q, lattice)


def test_the_law_can_be_right_where_the_rate_is_wrong() -> None:
    def one_hot(p: Array, q: Array, x: int, u_accept: float, u_resample: float) -> tuple[int, bool]:
        if u_accept < p[x]:
            return x, True
        rest = [0.0 if index == x else mass / (1.0 - p[x]) for index, mass in enumerate(p.tolist())]
        return categorical.sample_categorical(rest, u_resample), False

    for example in EXAMPLES:
        law = step_law(one_hot, example.p, example.q, MIDPOINTS)
        assert ids(law) == over_ids(example.target)
        assert law.of(lambda outcome: outcome[1]) < example.alpha


def test_a_step_that_raises_is_not_given_a_law() -> None:
    with pytest.raises(rejection.ZeroResidualError):
        step_law(rejection.speculative_step, [1.0, 1e-17], [1.0, 2e-17], DISCRETE)
    with pytest.raises(ValueError, match="no mass above q"):
        paper_step_law([1.0, 1e-17], [1.0, 2e-17])


def test_one_try_has_the_law_of_the_paper() -> None:
    for p, q, m in (
        ([0.25, 0.75], [0.5, 0.5], Fraction(3, 2)),
        ([0.5, 0.125, 0.375], [0.25, 0.375, 0.375], Fraction(2)),
        ([0.0, 0.125, 0.875], [0.125, 0.25, 0.625], Fraction(7, 5)),
    ):
        law = try_law(rejection.rejection_sample, p, q, math.nextafter(float(m), 9.0), TRY_MIDPOINTS)
        assert law == paper_try_law(p, q, m)
        assert law.given(lambda outcome: outcome is not None) == over_ids(p)


@given(pairs(40))
@examples(60)
def test_the_float_residual_stays_within_its_bound(pair: Pair) -> None:
    missing = missing_masses(pair.p, pair.q)
    z = sum(missing)
    for mass, exact_mass in zip(float_residual(pair.p.tolist(), pair.q.tolist()), missing, strict=True):
        if z:
            assert abs(Fraction(mass) - exact_mass / z) <= residual_bound(pair.n) * exact_mass / z


def test_a_lattice_counts_its_uniforms_below_a_bound() -> None:
    for lattice in (MIDPOINTS, TRY_MIDPOINTS, DISCRETE):
        for bound in (0.0, 0.125, 1 / 3, Fraction(1, 7), 0.999, 1.0, 2.5, math.inf):
            below = lattice.below(bound)
            assert below == 0 or lattice.uniform(below - 1) < bound
            assert below == lattice.size or lattice.uniform(below) >= bound


def test_inverse_cdf_leaves_ties_to_the_next_mass_and_a_short_sum_to_the_last() -> None:
    p = [0.0, 0.25, 0.0, 0.75, 0.0]
    assert [inverse_cdf(p, u) for u in (0.0, math.nextafter(0.25, 0.0), 0.25, math.nextafter(1.0, 0.0))] == [1, 1, 3, 3]
    assert inverse_cdf([0.1] * 10 + [0.0], math.nextafter(1.0, 0.0)) == 9


def test_cdf_edges_are_the_running_sums_with_the_floats_below_and_both_ends() -> None:
    last = math.nextafter(1.0, 0.0)
    assert cdf_edges([0.0, 0.25, 0.0, 0.75]) == [0.0, 0.25, math.nextafter(0.25, 0.0), last]
    short = cdf_edges([0.1] * 10)
    assert len(short) == len(set(short)) == 2 + 2 * 9 + 1
    assert all(0.0 <= u < 1.0 for u in short)


class Ahead:
    """A step that can be asked ahead, and notes how it was asked."""

    def __init__(self, step: Step, refuses: bool = False) -> None:
        self.step, self.refuses = step, refuses
        self.alone: list[tuple[object, ...]] = []
        self.together: list[tuple[object, ...]] = []

    def __call__(self, p: Array, q: Array, x: int, u_accept: float, u_resample: float) -> tuple[int, bool]:
        self.alone.append((x, u_accept, u_resample))
        return self.step(p, q, x, u_accept, u_resample)

    def ahead(self, calls: Iterable[tuple[Array, Array, int, float, float]]) -> list[tuple[int, bool]] | None:
        asked = [*calls]
        self.together += [call[2:] for call in asked]
        return None if self.refuses else [self.step(*call) for call in asked]


WRONG = step_with(lambda p, q, x, u, v: int(v > 0.3))


@pytest.mark.parametrize("step", [rejection.speculative_step, WRONG])
def test_a_step_that_is_asked_ahead_has_the_same_law(step: Step) -> None:
    """It is asked for the same points, each once; one that refuses is asked as if it had never been asked ahead."""
    for example in EXAMPLES:
        plain = Ahead(step, refuses=True)
        law = step_law(plain, example.p, example.q, MIDPOINTS)
        assert law == step_law(step, example.p, example.q, MIDPOINTS)
        quick = Ahead(step)
        assert step_law(quick, example.p, example.q, MIDPOINTS) == law
        assert len({*quick.alone, *quick.together}) == len(quick.alone) + len(quick.together)
        assert {*quick.alone, *quick.together} >= {*plain.alone}
        if step is not WRONG:
            assert quick.alone == []
            assert sorted(map(repr, quick.together)) == sorted(map(repr, plain.alone))


def test_counting_uniforms_below_a_bound_is_exact() -> None:
    for lattice in (MIDPOINTS, TRY_MIDPOINTS, DISCRETE):
        for bound in (0.0, 5e-324, 0.25, 1 / 3, Fraction(1, 3), math.nextafter(1.0, 0.0), 1.0, 2.0):
            count = lattice.below(bound)
            assert count == 0 or Fraction(count - 1) + lattice.offset < Fraction(bound) * lattice.size
            assert count == lattice.size or Fraction(count) + lattice.offset >= Fraction(bound) * lattice.size
