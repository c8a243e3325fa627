"""How the functions on whole vectors read their arguments: any type that converts, as they are, and leave them so."""

import array
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from acidtest.properties.cases import EXAMPLES, LAST_UNIFORM, on_pairs, refuses, weighted_pairs
from acidtest.properties.laws import ascending_sum, float_residual, inverse_cdf
from acidtest.properties.sources import ScriptedSource
from tinyllm.prob import categorical, rejection

ON_PAIRS = on_pairs(rejection)


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


@pytest.mark.unit
@pytest.mark.extended
def test_masses_are_used_as_they_are() -> None:
    """Vectors whose sums miss 1 by a few ten-billionths are not normalized on the way in.

    Matters: normalizing moves every boundary by as much, and a port that does not will disagree at each of them.
    """
    p, q = [0.5, 0.5 + 8e-10, 0.0], [0.0, 0.5, 0.5 + 8e-10]
    assert rejection.acceptance_probability(p, q) == 0.5
    assert rejection.residual_distribution(p, p).tolist() == p
    assert rejection.residual_distribution(p, q).tolist() == float_residual(p, q)
    assert categorical.sample_categorical(p, 0.5 - 1e-10) == 0
    assert rejection.rejection_sample(p, p, 1.0, ScriptedSource([0.5 - 1e-10, 0.5])) == (0, 1)
    assert rejection.speculative_step([0.5, 0.5], [1.0 + 8e-10, 0.0], 0, 0.5 - 1e-10, 0.5) == (1, False)


@pytest.mark.unit
@pytest.mark.extended
def test_all_kinds_of_vectors_are_welcome() -> None:
    """Booleans, arrays of objects, ``array.array`` and an entry of 1.0000000005 are answered like float64 arrays.

    Matters: one-hot targets are often boolean masks, and the contract asks for no more than a conversion.
    """
    for call in ON_PAIRS:
        for p, q in (([1.0, 0.0], [0.5, 0.5]), ([1.0, 0.0], [1.0, 0.0])):
            expected = np.asarray(call(np.array(p), np.array(q))).tolist()
            for left in (np.array(p, dtype=bool), [bool(mass) for mass in p], np.array(p, dtype=object)):
                for right in (np.array(q, dtype=object), array.array("d", q), np.array(q, dtype=">f8")):
                    assert np.asarray(call(left, right)).tolist() == expected
        call([1.0 + 5e-10, 0.0], [1.0, 0.0])
        call([1.0, 0.0], [1.0 + 5e-10, 0.0])


@pytest.mark.boundary
@pytest.mark.extended
def test_arguments_are_read_at_each_call() -> None:
    """The same two arrays with other numbers in them are answered by the numbers, and checked anew.

    Matters: engines fill one buffer with each position's probabilities, so an array's identity says nothing.
    """
    contents = (
        ([0.25, 0.75, 0.0], [0.5, 0.25, 0.25]),
        ([0.375, 0.125, 0.5], [0.75, 0.125, 0.125]),
        ([0.25, 0.375, 0.375], [0.5, 0.375, 0.125]),
    )
    calls: tuple[Callable[[Any, Any], object], ...]
    calls = (*ON_PAIRS, lambda p, q: categorical.sample_categorical(p, 0.75))
    for call in calls:
        p, q = np.array([0.25, 0.25, 0.5]), np.array([0.5, 0.25, 0.25])
        for masses_p, masses_q in contents:
            call(p, q)
            p[:], q[:] = masses_p, masses_q
            assert np.asarray(call(p, q)).tolist() == np.asarray(call(masses_p, masses_q)).tolist()
        for bad in ([0.5, 0.625, 0.0], [1.5, -0.5, 0.0], [math.nan, 0.5, 0.5]):
            for argument in (p, q) if call in ON_PAIRS else (p,):
                p[:], q[:] = contents[0]
                call(p, q)
                argument[:] = bad
                refuses(call, p, q)
    p, q = np.array([0.5, 0.5]), np.array([0.5, 0.5])
    assert rejection.rejection_sample(p, q, 1.0, ScriptedSource([0.9, 0.0])) == (1, 1)
    p[:] = [0.25, 0.75]
    refuses(rejection.rejection_sample, p, q, 1.0, ScriptedSource([0.9, 0.0]))


@pytest.mark.unit
@pytest.mark.extended
def test_long_vectors_follow_the_same_rules() -> None:
    """With 1200 ids each sum is still one loop, and each draw the first running sum above the uniform.

    Matters: vocabularies are long, and this is where blocks, pairwise sums and recursion are put in for speed.
    """
    ((p, q),) = weighted_pairs(1, 1200)
    overlap = [min(a, b) for a, b in zip(p, q, strict=True)]
    assert ascending_sum(overlap) not in (math.fsum(overlap), float(np.sum(overlap)))
    assert rejection.acceptance_probability(p, q) == ascending_sum(overlap)
    residual = float_residual(p, q)
    assert rejection.residual_distribution(p, q).tolist() == residual
    x = min(range(1200), key=lambda index: p[index] - q[index])
    m = max(a / b for a, b in zip(p, q, strict=True))
    draws: tuple[tuple[list[float], Callable[[float], int]], ...] = (
        (p, lambda u: categorical.sample_categorical(p, u)),
        (residual, lambda u: rejection.speculative_step(p, q, x, LAST_UNIFORM, u)[0]),
        (q, lambda u: rejection.rejection_sample(p, q, m, ScriptedSource([u, 0.0]))[0]),
    )
    for index in (70, 600, 1199):
        for masses, draw in draws:
            tie = min(ascending_sum(masses[: index + 1]), LAST_UNIFORM)
            for u in (tie, math.nextafter(tie, 0.0)):
                assert draw(u) == inverse_cdf(masses, u)
