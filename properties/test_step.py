"""The speculative step: the chapter's theorem, as an enumerated law and as single decisions."""

import math
import random

import numpy as np
import pytest
from hypothesis import given

from acidtest.properties.bulk import in_bulk
from acidtest.properties.cases import EXAMPLES, HAND, LAST_UNIFORM, SECOND, refuses
from acidtest.properties.critical import chi_square_limit
from acidtest.properties.dist import Dist, over_ids
from acidtest.properties.laws import MIDPOINTS, Vector, draft_law, kept_masses, step_law
from acidtest.properties.strategies import Pair, eighths, examples
from tinyllm.prob import rejection


def output_law(p: Vector, q: Vector) -> Dist[int]:
    """Return the enumerated law of the id that comes out."""
    return step_law(rejection.speculative_step, p, q, MIDPOINTS).image(lambda outcome: outcome[0])


@pytest.mark.statistical
@pytest.mark.chapter
def test_hand_example_output_is_p() -> None:
    """Enumerated exactly, the worked example's output law is its target.

    Matters: the theorem on numbers that one can follow with a pencil.
    """
    assert output_law(HAND.p, HAND.q) == over_ids(HAND.target)


@pytest.mark.statistical
@pytest.mark.chapter
@given(eighths(6))
@examples(25)
def test_speculative_output_is_exactly_p(pair: Pair) -> None:
    """For p and q in eighths the enumerated output law is p, as rational numbers.

    Matters: speculative decoding rests on this; a small bias changes the model and no evaluation would name the cause.
    """
    assert output_law(pair.p, pair.q) == over_ids(pair.p.tolist())


@pytest.mark.statistical
@pytest.mark.chapter
def test_speculative_chi_square() -> None:
    """20000 seeded draws on a pair that is not in eighths match p by a chi-square test.

    The critical value is the chi-square distribution's own, so a right step fails for one seed in a thousand;
    the seed is fixed, and the draws use nothing but it.

    Matters: the enumeration covers tidy numbers; this is the same law where every float is rounded.
    """
    false_alarms, draws = 0.001, 20000
    p = np.array([0.31, 0.07, 0.23, 0.29, 0.10])
    q = np.array([0.21, 0.20, 0.16, 0.24, 0.19])
    masses = p.tolist()  # before a step gets hold of p
    rng = random.Random(20230211)
    drafts = rng.choices(range(len(q)), q.tolist(), k=draws)
    steps = in_bulk(rejection.speculative_step, [(p, q, x, rng.random(), rng.random()) for x in drafts])
    counts = [0] * len(p)
    for step in steps:
        counts[step[0]] += 1
    statistic = sum((count - draws * mass) ** 2 / (draws * mass) for count, mass in zip(counts, masses, strict=True))
    assert statistic < chi_square_limit(false_alarms, len(p) - 1)


@pytest.mark.unit
@pytest.mark.chapter
def test_speculative_accepts_without_resampling() -> None:
    """A kept draft comes back as (x, True) whatever u_resample is, NaN and numbers out of range included.

    Matters: engines draw u' only after a rejection; looking at it early shifts every later draw of the request.
    """
    for u_resample in (0.0, 0.75, LAST_UNIFORM, math.nan, math.inf, 1.0, 2.0, -1.0):
        assert rejection.speculative_step(HAND.p, HAND.q, 1, 0.25, u_resample) == (1, True)
        assert rejection.speculative_step(HAND.p, HAND.q, 0, 0.99, u_resample) == (0, True)
        assert rejection.speculative_step(HAND.p, HAND.p, 2, 0.99, u_resample) == (2, True)


@pytest.mark.boundary
@pytest.mark.chapter
def test_speculative_rejects_bad_drafts() -> None:
    """A draft outside the vocabulary, below or above, or one that q cannot have proposed, raises.

    Matters: it means that draft and proposal disagree about what was drawn, and no answer repairs that.
    """
    for u_accept in (0.0, 0.25, 0.75):
        for x in (4, 5, 1000, -1, -2, -4, -5):
            refuses(rejection.speculative_step, HAND.p, HAND.q, x, u_accept, 0.5)
        refuses(rejection.speculative_step, HAND.p, HAND.q, 2, u_accept, 0.5)
        refuses(rejection.speculative_step, SECOND.q, SECOND.p, 3, u_accept, 0.5)


@pytest.mark.statistical
@pytest.mark.extended
def test_second_hand_example_output_is_p() -> None:
    """Enumerated exactly, the second example's output law is [1/2, 1/8, 3/8, 0].

    Matters: its residual has unequal entries, so a replacement drawn by any other weights shows.
    """
    assert output_law(SECOND.p, SECOND.q) == over_ids(SECOND.target)


@pytest.mark.statistical
@pytest.mark.extended
def test_step_acceptance_rate_is_alpha() -> None:
    """The enumerated share of kept drafts is sum min(p_i, q_i), whatever the output law is.

    Matters: accepting less and repairing the law afterwards keeps every token right and throws the speedup away.
    """
    for example in EXAMPLES:
        law = step_law(rejection.speculative_step, example.p, example.q, MIDPOINTS)
        assert law.of(lambda outcome: outcome[1]) == example.alpha


@pytest.mark.statistical
@pytest.mark.extended
def test_step_keeps_each_id_with_its_own_mass() -> None:
    """The mass that is proposed as t and kept is min(p_t, q_t) for every single id.

    Matters: rates that are right in sum can still favour one id over another.
    """
    for example in EXAMPLES:
        law = step_law(rejection.speculative_step, example.p, example.q, MIDPOINTS)
        for index, mass in enumerate(kept_masses(example.target, example.proposal)):
            assert law[index, True] == mass


@pytest.mark.statistical
@pytest.mark.extended
def test_step_replacement_follows_the_residual() -> None:
    """Whichever draft was rejected, its replacement follows the one residual of p and q.

    Matters: a residual that depends on the rejected id, or on p alone, mends one proposal and breaks the others.
    """
    for example in EXAMPLES:
        for x, mass in enumerate(example.proposal):
            if example.target[x] < mass:
                law = draft_law(rejection.speculative_step, example.p, example.q, x, MIDPOINTS)
                replacement = law.given(lambda outcome: not outcome[1]).image(lambda outcome: outcome[0])
                assert replacement == over_ids(example.residual)


@pytest.mark.unit
@pytest.mark.extended
def test_step_replacement_moves_with_u_resample() -> None:
    """After a rejection u' walks the residual's CDF: small ones give its first id, large ones its last.

    Matters: always taking the likeliest replacement is greedy decoding in disguise.
    """
    for u_resample, replacement in ((0.0, 0), (0.1, 0), (0.59, 0), (0.61, 2), (0.9, 2), (LAST_UNIFORM, 2)):
        assert rejection.speculative_step(SECOND.p, SECOND.q, 1, 0.9, u_resample) == (replacement, False)
        assert rejection.speculative_step(SECOND.p, SECOND.q, 3, 0.1, u_resample) == (replacement, False)


@pytest.mark.unit
@pytest.mark.extended
def test_step_replacement_ignores_u_accept() -> None:
    """The same u' gives the same replacement for every u that rejects.

    Matters: a rejecting u is a large one, so reusing it always picks from the far end of the residual.
    """
    for u_accept in (0.5, 0.6, 0.75, 0.9, LAST_UNIFORM):
        assert rejection.speculative_step(HAND.p, HAND.q, 1, u_accept, 0.25) == (0, False)
        assert rejection.speculative_step(HAND.p, HAND.q, 1, u_accept, 0.75) == (2, False)
    for u_accept in (0.0, 0.25, 0.75):
        assert rejection.speculative_step(HAND.p, HAND.q, 3, u_accept, 0.25) == (0, False)
        assert rejection.speculative_step(HAND.p, HAND.q, 3, u_accept, 0.75) == (2, False)


@pytest.mark.unit
@pytest.mark.extended
def test_step_decides_on_the_draft_alone() -> None:
    """A dominated id elsewhere in the vocabulary does not reject a draft whose own ratio is 1 or more.

    Matters: asking all ids at once rejects nearly everything, and the output law need not show it.
    """
    for example in EXAMPLES:
        for x, (p_x, q_x) in enumerate(zip(example.target, example.proposal, strict=True)):
            if 0.0 < q_x <= p_x:
                for u_accept in (0.0, 0.5, 0.9, LAST_UNIFORM):
                    assert rejection.speculative_step(example.p, example.q, x, u_accept, 0.5) == (x, True)


@pytest.mark.boundary
@pytest.mark.extended
def test_step_threshold_is_p_over_q() -> None:
    """Each draft is kept just below its own p_x / q_x and rejected from there on.

    Matters: measuring p_x against the target's largest entry ignores what the proposal did.
    """
    assert rejection.speculative_step(np.array([0.25, 0.75]), np.array([0.5, 0.5]), 0, 0.4, 0.5) == (0, True)
    for example in EXAMPLES:
        for x, (p_x, q_x) in enumerate(zip(example.target, example.proposal, strict=True)):
            if p_x < q_x:
                assert rejection.speculative_step(example.p, example.q, x, p_x / q_x, 0.5)[1] is False
            if 0.0 < p_x < q_x:
                below = math.nextafter(p_x / q_x, 0.0)
                assert rejection.speculative_step(example.p, example.q, x, below, 0.5) == (x, True)
