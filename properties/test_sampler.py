"""Von Neumann's sampler: the law of one try, the number of tries, the order of the draws, the envelope."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from acidtest.properties.bulk import in_bulk
from acidtest.properties.cases import LAST_UNIFORM, refuses, weighted_pairs
from acidtest.properties.critical import FOUR_STANDARD_ERRORS, failures_limits
from acidtest.properties.dist import exact
from acidtest.properties.laws import DISCRETE, TRY_MIDPOINTS, paper_try_law, try_bound, try_law
from acidtest.properties.sources import CountingSource, ScriptedSource
from tinyllm.prob import rejection

QUARTERS = ([0.25, 0.75], [0.5, 0.5], 1.5)
"""Id 0 is kept below 1/3, id 1 at every uniform."""


@pytest.mark.statistical
@pytest.mark.chapter
def test_rejection_sample_first_try_enumerated() -> None:
    """Enumerated exactly, one try accepts x with probability p_x / m, so anything at all with 1 / m.

    Matters: given acceptance this is p, and the reason why m must be in the ratio.
    """
    for p, q, m in (
        QUARTERS,
        ([0.5, 0.25, 0.25, 0.0], [0.25, 0.25, 0.25, 0.25], 2.0),
        ([0.125, 0.5, 0.375, 0.0], [0.25, 0.25, 0.25, 0.25], 3.0),
        ([0.0, 0.375, 0.0, 0.625], [0.0, 0.5, 0.25, 0.25], 2.5),
        ([0.25, 0.75], [0.25, 0.75], 1.0),
    ):
        law = try_law(rejection.rejection_sample, p, q, m, TRY_MIDPOINTS)
        for x, mass in enumerate(exact(p)):
            assert law[x] == mass / Fraction(m)
        assert law[None] == 1 - 1 / Fraction(m)


@pytest.mark.statistical
@pytest.mark.chapter
def test_rejection_sample_tries_are_geometric() -> None:
    """Over 1000 seeded samples the mean number of tries is m, within what four standard errors allow.

    The sum of the tries less the samples is negative binomial, so its exact quantiles stand for the normal ones: a
    right sampler fails for 6 seeds in 100000, half above and half below. The seed is fixed.

    Matters: m is the price of a loose envelope, and capacity is planned with it.
    """
    samples, m = 1000, 2.0
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.3, 0.3, 0.4])
    rng = random.Random(20230211)
    kept = in_bulk(rejection.rejection_sample, [(p, q, m, rng)] * samples)
    rejected = sum(tries for _, tries in kept) - samples
    fewest, most = failures_limits(FOUR_STANDARD_ERRORS, samples, 1 / m)
    assert fewest <= rejected <= most


@pytest.mark.unit
@pytest.mark.chapter
def test_rejection_sample_draw_order() -> None:
    """Each try draws two uniforms, the proposal's first, and nothing is drawn after the last.

    Matters: two engines share one stream of uniforms, and an extra or exchanged draw separates them for good.
    """
    p, q, m = QUARTERS
    for script, answer in (
        ([0.1, 0.3], (0, 1)),
        ([0.9, 0.1], (1, 1)),
        ([0.9, 0.9], (1, 1)),
        ([0.1, 0.9, 0.9, 0.1], (1, 2)),
        ([0.1, 0.4, 0.2, 0.5, 0.3, 0.2], (0, 3)),
    ):
        rng = ScriptedSource(script)
        assert rejection.rejection_sample(p, q, m, rng) == answer
        assert rng.drawn == len(script)


@pytest.mark.boundary
@pytest.mark.chapter
def test_rejection_sample_checks_the_envelope() -> None:
    """An m that leaves some p_x above m * q_x, an m below 1, and tries that run out all raise.

    Matters: under a low envelope the ids that stick out are capped, and the output is biased without a sign.
    """
    for p, q, m in (
        ([0.25, 0.75], [0.5, 0.5], 1.25),
        ([0.75, 0.25], [0.5, 0.5], 1.0),
        ([0.5, 0.25, 0.25], [0.25, 0.25, 0.5], 1.5),
        ([0.25, 0.25, 0.5], [0.5, 0.375, 0.125], 3.5),
    ):
        for u in (0.0, 0.5, 0.9):
            refuses(rejection.rejection_sample, p, q, m, ScriptedSource([u, 0.0]))
    for m in (0.5, 0.0, -1.0, math.nextafter(1.0, 0.0)):
        refuses(rejection.rejection_sample, [0.5, 0.5], [0.5, 0.5], m, ScriptedSource([0.5, 0.0]))
    p, q, envelope = QUARTERS
    with pytest.raises(RuntimeError):
        rejection.rejection_sample(p, q, envelope, ScriptedSource([0.1, 0.9] * 3), 3)


@pytest.mark.boundary
@pytest.mark.extended
def test_rejection_sample_accepts_the_exact_envelope() -> None:
    """m = max(p_i / q_i) in float64 is large enough on every random pair, and the next float below it is not.

    Matters: comparing p_i with the rounded product m * q_i refuses the best envelope on some pairs and not others.
    """
    for p, q in weighted_pairs(150, 3, 4, 5):
        m = max(a / b for a, b in zip(p, q, strict=True))
        assert rejection.rejection_sample(p, q, m, ScriptedSource([0.0, 0.0])) == (0, 1)
        refuses(rejection.rejection_sample, p, q, math.nextafter(m, 0.0), ScriptedSource([0.0, 0.0]))


@pytest.mark.boundary
@pytest.mark.extended
def test_rejection_sample_refuses_mass_the_proposal_lacks() -> None:
    """An id with p_i > 0 and q_i = 0 is refused for every m, even where the ids that q has are covered.

    Matters: no number of tries can produce that id, so its mass goes to the others.
    """
    for p, q in (
        ([0.5, 0.5], [1.0, 0.0]),
        ([0.5, 0.5], [0.0, 1.0]),
        ([0.5, 0.25, 0.25], [0.5, 0.0, 0.5]),
        ([1.0 - 2.0**-40, 2.0**-40], [1.0, 0.0]),
    ):
        for m in (1.0, 2.0, 1e6, 1e300):
            refuses(rejection.rejection_sample, p, q, m, ScriptedSource([0.1, 0.0]))
    assert rejection.rejection_sample([0.0, 1.0], [0.0, 1.0], 1.0, ScriptedSource([0.5, 0.5])) == (1, 1)


@pytest.mark.unit
@pytest.mark.extended
def test_rejection_sample_redraws_the_proposal() -> None:
    """After a rejected try the next uniform chooses a new proposal, which may be another id.

    Matters: trying the old proposal again until it passes returns the proposal's law, not the target's.
    """
    p, q, m = QUARTERS
    assert rejection.rejection_sample(p, q, m, ScriptedSource([0.1, 0.9, 0.9, 0.1])) == (1, 2)
    assert rejection.rejection_sample(p, q, m, ScriptedSource([0.1, 0.9, 0.1, 0.9, 0.7, 0.9])) == (1, 3)


@pytest.mark.boundary
@pytest.mark.extended
def test_rejection_sample_counts_tries_from_one() -> None:
    """A first proposal that is kept counts as one try, and max_tries = 1 allows it.

    Matters: the mean of the tries is m only if they are counted from 1.
    """
    p, q, m = QUARTERS
    assert rejection.rejection_sample(p, q, m, ScriptedSource([0.9, 0.5]), 1) == (1, 1)
    assert rejection.rejection_sample(p, q, m, ScriptedSource([0.1, 0.5, 0.9, 0.5])) == (1, 2)


@pytest.mark.boundary
@pytest.mark.extended
def test_rejection_sample_stops_exactly_at_max_tries() -> None:
    """The last allowed try may still succeed; after it ``RuntimeError``, with two uniforms drawn for each try.

    Matters: returning the last proposal instead hands out an id that was just rejected.
    """
    p, q, m = QUARTERS
    for max_tries in (1, 2, 5):
        rejections = [0.1, 0.9] * (max_tries - 1)
        assert rejection.rejection_sample(p, q, m, ScriptedSource([*rejections, 0.9, 0.1]), max_tries) == (1, max_tries)
        rng = ScriptedSource([0.1, 0.9] * (max_tries + 1))
        with pytest.raises(RuntimeError):
            rejection.rejection_sample(p, q, m, rng, max_tries)
        assert rng.drawn == 2 * max_tries


@pytest.mark.boundary
@pytest.mark.extended
def test_rejection_sample_threshold_is_strict_and_divides() -> None:
    """At u = fl(p_x / fl(m * q_x)) the proposal is rejected, one float below it is kept, and p_x = 0 never passes.

    Matters: the same boundary as the step's, with one more rounding that a port must repeat.
    """
    for p, q in weighted_pairs(60, 3, 4, 5):
        m = 1.5 * max(a / b for a, b in zip(p, q, strict=True))
        threshold = p[0] / (m * q[0])
        with pytest.raises(RuntimeError):
            rejection.rejection_sample(p, q, m, ScriptedSource([0.0, threshold]), 1)
        below = math.nextafter(threshold, 0.0)
        assert rejection.rejection_sample(p, q, m, ScriptedSource([0.0, below]), 1) == (0, 1)
    with pytest.raises(RuntimeError):
        rejection.rejection_sample([0.0, 1.0], [0.5, 0.5], 2.0, ScriptedSource([0.0, 0.0]), 1)


@pytest.mark.boundary
@pytest.mark.extended
def test_rejection_sample_refuses_bad_limits() -> None:
    """m that is NaN or infinite, and max_tries below 1, are refused before anything is drawn.

    Matters: an infinite envelope rejects for ever, and no tries at all would still have to return something.
    """
    for m in (math.nan, math.inf, -math.inf):
        rng = ScriptedSource([0.5, 0.0])
        refuses(rejection.rejection_sample, [0.5, 0.5], [0.5, 0.5], m, rng)
        assert rng.drawn == 0
    for max_tries in (0, -1):
        rng = ScriptedSource([0.5, 0.0])
        refuses(rejection.rejection_sample, [0.5, 0.5], [0.5, 0.5], 1.0, rng, max_tries)
        assert rng.drawn == 0


@pytest.mark.unit
@pytest.mark.extended
def test_rejection_sample_takes_any_source_of_uniforms() -> None:
    """``random.Random`` and ``numpy.random.Generator`` serve as they are; id and tries are plain ints.

    Matters: the sampler asks its source for ``random()`` and for nothing else.
    """
    for source in (random.Random(5), np.random.default_rng(5)):
        rng = CountingSource(source)
        answer = rejection.rejection_sample([0.25, 0.75], [0.5, 0.5], 1.5, rng)
        assert [type(answer), *map(type, answer)] == [tuple, int, int]
        assert rng.drawn == 2 * answer[1]


@pytest.mark.statistical
@pytest.mark.extended
def test_rejection_sample_discrete_law_of_a_try() -> None:
    """Under uniforms k * 2**-53 one try keeps each id with p_x / m, within the rounding bound.

    Matters: non-dyadic vectors under their exact envelope, which the enumeration in eighths cannot reach.
    """
    for p, q in weighted_pairs(8, 3, 4, 5):
        m = max(a / b for a, b in zip(p, q, strict=True))
        law = try_law(rejection.rejection_sample, p, q, m, DISCRETE)
        paper = paper_try_law(p, q, Fraction(m))
        for x in range(len(p)):
            assert abs(law[x] - paper[x]) <= try_bound(len(p))
    assert rejection.rejection_sample([1.0], [1.0], 1.0, ScriptedSource([LAST_UNIFORM] * 2)) == (0, 1)
