"""Pictures of laws: the right ones are the paper's formulas, the wrong ones say by how much, and each adds up to 1."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given

from acidtest.properties.call import Call
from acidtest.properties.cases import EXAMPLES, HAND, Example
from acidtest.properties.dist import exact, total_variation
from acidtest.properties.law_pictures import NoPictureError, picture, pictures, rounding
from acidtest.properties.laws import float_residual, inverse_cdf, kept_masses, missing_masses
from acidtest.properties.places import right
from acidtest.properties.strategies import Pair, examples, pairs
from tinyllm.prob import categorical, rejection

STEP, SAMPLER = "speculative_step", "rejection_sample"
FULL = [
    (p, q) for p, q in (([0.5, 0.5], [0.25, 0.75]), ([0.25, 0.0, 0.75], [0.5, 0.25, 0.25]), ([0.5, 0.5], [0.5, 0.5]))
]
"""Pairs of eighths in which q proposes every id of p."""


def reference(name: str) -> Callable[..., Any]:
    """Return a function of the target."""
    return getattr(rejection, name)  # type: ignore[no-any-return]


def from_p(p: Any, q: Any, x: int, u: float, v: float) -> tuple[int, bool]:
    """Take a step that resamples from p."""
    kept = rejection.rejection_accept(p[x], q[x], u)
    return (x, True) if kept else (categorical.sample_categorical(p, v), False)


def stubborn(p: Any, q: Any, m: float, rng: Any, max_tries: int = 10000) -> tuple[int, int]:
    """Sample without ever redrawing a refused proposal."""
    x = 0
    for tries in range(1, max_tries + 1):
        u = rng.random()
        if tries == 1:
            x = categorical.sample_categorical(q, u)
        if rng.random() < p[x] / (m * q[x]):
            return x, tries
    raise RuntimeError("no end")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: str(example.target))
def test_a_right_step_keeps_the_overlap_and_replaces_by_what_is_missing(example: Example) -> None:
    found = picture(reference, STEP, example.target, example.proposal)
    ids = range(len(example.target))
    assert [found.kept.get(i, 0) for i in ids] == list(kept_masses(example.target, example.proposal))
    assert [found.later.get(i, 0) for i in ids] == list(missing_masses(example.target, example.proposal))
    assert [found.whole.get(i, 0) for i in ids] == list(exact(example.target))
    assert rounding(STEP, example.target, example.proposal) == 0


@examples(12)
@given(pairs())
def test_a_right_step_is_off_by_no_more_than_rounding_on_any_pair(pair: Pair) -> None:
    p, q = pair.p.tolist(), pair.q.tolist()
    try:
        found = picture(reference, STEP, p, q)
    except NoPictureError:
        return
    assert sum(found.whole.values()) == 1
    assert total_variation(found.whole, right(p)) <= rounding(STEP, p, q)


@pytest.mark.parametrize(("p", "q"), FULL)
def test_a_right_sampler_keeps_the_mth_part_and_returns_p_in_the_end(p: list[float], q: list[float]) -> None:
    found = picture(reference, SAMPLER, p, q)
    m = max(Fraction(a) / Fraction(b) for a, b in zip(p, q, strict=True))
    assert {i: Fraction(mass) / m for i, mass in enumerate(p) if mass} == found.kept
    assert {i: Fraction(mass) for i, mass in enumerate(p) if mass} == found.whole
    assert rounding(SAMPLER, p, q) == 0


def test_a_right_sampler_is_off_by_no_more_than_rounding_between_eighths() -> None:
    p, q = [0.3, 0.7], [0.6, 0.4]
    found = picture(reference, SAMPLER, p, q)
    assert 0 < total_variation(found.whole, right(p)) <= rounding(SAMPLER, p, q) < Fraction(1, 10**13)


def test_resampling_from_p_is_off_by_an_eighth_at_the_hand_example() -> None:
    found = pictures(reference, lambda _: from_p, STEP, [], 5.0)
    assert found["hand"]["distance"] == "1/8"
    assert found["hand"]["mutant"]["later"] == {"0": "1/4", "1": "1/8", "2": "1/8"}
    assert found["hand"]["reference"] == {"kept": {"0": "1/4", "1": "1/4"}, "later": {"0": "1/4", "2": "1/4"}}
    assert (found["worst"], found["tried"], found["places"]) == (None, 0, 0)


def test_a_sampler_that_keeps_a_refused_proposal_ends_as_q_or_not_at_all() -> None:
    found = picture(lambda _: stubborn, SAMPLER, [0.5, 0.5], [0.25, 0.75])
    assert found.whole == {0: Fraction(1, 4), 1: Fraction(3, 4)}
    endless = picture(lambda _: stubborn, SAMPLER, [0.0, 1.0], [0.25, 0.75])
    assert endless.whole == {1: Fraction(3, 4), "never ends": Fraction(1, 4)}


def test_errors_and_answers_that_are_no_ids_have_their_share() -> None:
    def odd(p: Any, q: Any, x: int, u: float, v: float) -> tuple[object, bool]:
        if x == 0:
            raise KeyError("no")
        return ("one", True) if u < 0.5 else (1.5, False)

    found = picture(lambda _: odd, STEP, HAND.target, HAND.proposal)
    quarter, half = Fraction(1, 4), Fraction(3, 8)
    assert found.kept == {"answers 'one'": half}
    assert found.later == {"raises KeyError": quarter, "answers 1.5": half}


def test_the_worst_pair_is_the_first_of_those_with_the_largest_distance() -> None:
    tried = [((0.5, 0.5), (0.5, 0.5)), ((0.75, 0.25), (0.25, 0.75)), ((0.0, 1.0), (1.0, 0.0)), ((0.5, 0.5), (0.0, 1.0))]
    calls = [Call(STEP, {"p": list(p), "q": list(q), "x": 0, "u_accept": 0.0, "u_resample": 0.0}) for p, q in tried]
    distances = [total_variation(picture(lambda _: from_p, STEP, p, q).whole, right(p)) for p, q in tried]
    assert max(distances) == distances[3] == Fraction(1, 4)
    found = pictures(reference, lambda _: from_p, STEP, [(call, "1", "2") for call in calls], 20.0)
    assert (found["worst"]["p"], found["worst"]["q"]) == (["1/2", "1/2"], ["0", "1"])
    assert (found["tried"], found["places"]) == (4, 4)
    refused = pictures(reference, lambda _: from_p, STEP, [(calls[3], "raises ValueError", "2")], 20.0)
    assert (refused["worst"], refused["places"]) == (None, 0)


def test_no_place_is_begun_after_the_time_that_was_given() -> None:
    call = Call(STEP, {"p": [0.5, 0.5], "q": [0.0, 1.0], "x": 1, "u_accept": 0.9, "u_resample": 0.0})
    found = pictures(reference, lambda _: from_p, STEP, [(call, "1", "2")], -1.0)
    assert (found["worst"], found["tried"], found["places"]) == (None, 0, 1)


def test_a_difference_that_rounding_explains_is_no_worst_pair() -> None:
    def by_hand(p: Any, q: Any, x: int, u: float, v: float) -> tuple[int, bool]:
        return (x, True) if u * q[x] < p[x] else (inverse_cdf(float_residual(p, q), v), False)

    p, q = [0.3, 0.7], [0.7, 0.3]
    call = Call(STEP, {"p": p, "q": q, "x": 0, "u_accept": 0.4, "u_resample": 0.0})
    assert total_variation(picture(lambda _: by_hand, STEP, p, q).whole, right(p)) > 0
    assert pictures(reference, lambda _: by_hand, STEP, [(call, "1", "2")], 20.0)["worst"] is None


def test_where_answers_form_no_rectangles_there_is_a_reason_and_no_number() -> None:
    def slanted(p: Any, q: Any, x: int, u: float, v: float) -> tuple[int, bool]:
        return int(u + v < 1.0), True

    found = pictures(reference, lambda _: slanted, STEP, [], 5.0)
    assert "still changes within a cell" in found["hand"]["why"]
    assert "distance" not in found["hand"]
    sampler = pictures(reference, reference, SAMPLER, [], 5.0)
    assert sampler["hand"]["why"] == "q lacks an id of p, so that there is no envelope"
