"""What the four functions on whole vectors accept as a distribution, and what they leave alone."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from acidtest.properties.cases import EXAMPLES, NOT_DISTRIBUTIONS, refuses
from acidtest.properties.sources import ScriptedSource
from tinyllm.prob import rejection

ON_PAIRS: tuple[Callable[[Any, Any], object], ...] = (
    lambda p, q: rejection.acceptance_probability(p, q),
    lambda p, q: rejection.residual_distribution(p, q),
    lambda p, q: rejection.speculative_step(p, q, 0, 0.875, 0.5),
    lambda p, q: rejection.rejection_sample(p, q, 8.0, ScriptedSource([0.25, 0.0] * 4)),
)
"""Each function with the rest of its arguments fixed and right; looked up at each call."""


@pytest.mark.boundary
@pytest.mark.chapter
def test_shapes_and_distributions_are_checked() -> None:
    """Vectors of different length, and anything that is no distribution, raise in each function and each place.

    Matters: a draft model with another vocabulary lines up with the wrong ids of the target, without a sound.
    """
    for call in ON_PAIRS:
        refuses(call, np.array([0.5, 0.5, 0.0]), np.array([0.5, 0.5]))
        refuses(call, np.array([0.5, 0.5]), np.array([0.5, 0.25, 0.25]))
        for bad in ([0.5, 0.625], [0.5, 0.375], [1.5, -0.5], [0.0, 0.0]):
            refuses(call, np.array(bad), np.array([0.5, 0.5]))
            refuses(call, np.array([0.5, 0.5]), np.array(bad))
        refuses(call, np.array([]), np.array([]))
        refuses(call, np.array([[0.5, 0.5]]), np.array([[0.5, 0.5]]))


@pytest.mark.boundary
@pytest.mark.extended
def test_different_lengths_are_refused() -> None:
    """No function cuts the longer vector or pads the shorter one, even where only zeros would be lost.

    Matters: target vocabularies are often padded past the draft's; cutting there hides a mismatch of ids.
    """
    for call in ON_PAIRS:
        for short, long in (([0.5, 0.5], [0.5, 0.5, 0.0]), ([1.0], [1.0, 0.0]), ([0.25, 0.75], [0.25, 0.25, 0.5])):
            refuses(call, np.array(short), np.array(long))
            refuses(call, np.array(long), np.array(short))


@pytest.mark.boundary
@pytest.mark.extended
def test_what_is_no_distribution_is_refused() -> None:
    """NaN, infinities, negative entries, wrong sums, other shapes, complex numbers, text: each place, each function.

    Matters: broken logits must stop at the first function that meets them, with the argument named.
    """
    right = np.array([0.5, 0.5])
    for bad in NOT_DISTRIBUTIONS.values():
        for call in ON_PAIRS:
            refuses(call, bad, right)
            refuses(call, right, bad)


@pytest.mark.boundary
@pytest.mark.extended
def test_sums_may_miss_one_by_a_billionth() -> None:
    """A sum off by 5e-10 is a distribution, a sum off by 2e-9 is none, above 1 and below it.

    Matters: a softmax in float64 never sums to 1 exactly, and one in float32 shows itself here.
    """
    right = np.array([0.5, 0.5])
    for call in ON_PAIRS:
        for sign in (1.0, -1.0):
            near, far = np.array([0.5, 0.5 + sign * 5e-10]), np.array([0.5, 0.5 + sign * 2e-9])
            call(near, right)
            call(right, near)
            refuses(call, far, right)
            refuses(call, right, far)


@pytest.mark.unit
@pytest.mark.extended
def test_whatever_converts_to_float64_is_welcome() -> None:
    """Lists, tuples, integers, float32 and strided views are answered as the float64 vector they stand for.

    Matters: callers slice rows out of a batch and keep probabilities in plain lists.
    """
    for call in ON_PAIRS:
        for p, q in (([0.25, 0.75], [0.5, 0.5]), ([0, 1], [1, 0])):
            if call is ON_PAIRS[3] and q == [1, 0]:
                continue  # no envelope covers an id that the proposal lacks
            expected = np.asarray(call(np.array(p, dtype=np.float64), np.array(q, dtype=np.float64))).tolist()
            striped = np.zeros((2, 2))
            striped[0], striped[1] = (p[0], q[0]), (p[1], q[1])
            for left, right in (
                (p, q),
                (tuple(p), tuple(q)),
                (np.array(p, dtype=np.float32), np.array(q, dtype=np.float32)),
                (striped[:, 0], striped[:, 1]),
            ):
                assert np.asarray(call(left, right)).tolist() == expected


@pytest.mark.boundary
@pytest.mark.extended
def test_no_function_writes_to_its_arguments() -> None:
    """Every function works on arrays that refuse to be written, and leaves lists as they were.

    Matters: the target's probabilities are shared by all positions of a batch.
    """
    for example in EXAMPLES:
        p, q = example.p, example.q
        p.flags.writeable = q.flags.writeable = False
        lists = p.tolist(), q.tolist()
        for call in ON_PAIRS[:2]:
            call(p, q)
            call(*lists)
        for x, mass in enumerate(lists[1]):
            if mass:
                rejection.speculative_step(p, q, x, 0.96875, 0.5)
        flat = np.full(len(p), 1 / len(p))
        flat.flags.writeable = False
        rejection.rejection_sample(p, flat, 8.0, ScriptedSource([0.25, 0.99, 0.5, 0.99, 0.6, 0.0, 0.99, 0.0]))
        assert (p.tolist(), q.tolist()) == lists == (list(example.target), list(example.proposal))


@pytest.mark.unit
@pytest.mark.extended
def test_arguments_go_by_the_contract_s_names() -> None:
    """Every argument may be passed by the name that the contract gives it.

    Matters: callers pass two probabilities and two uniforms by name, lest they be exchanged.
    """
    p, q = EXAMPLES[0].p, EXAMPLES[0].q
    assert rejection.rejection_accept(u=0.25, q_x=0.5, p_x=0.25) is True
    assert rejection.acceptance_probability(q=q, p=p) == 0.5
    assert rejection.residual_distribution(q=q, p=p).tolist() == [0.5, 0.0, 0.5, 0.0]
    assert rejection.speculative_step(u_resample=0.75, u_accept=0.75, x=1, q=q, p=p) == (2, False)
    rng = ScriptedSource([0.9, 0.1])
    assert rejection.rejection_sample(max_tries=1, rng=rng, m=1.5, q=[0.5, 0.5], p=[0.25, 0.75]) == (1, 1)
