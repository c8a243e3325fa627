"""What the four functions on whole vectors refuse: whatever is no distribution, in each place."""

from typing import Any

import numpy as np
import pytest

from acidtest.properties.cases import BILLIONTH_EDGES, NOT_DISTRIBUTIONS, TINY, on_pairs, refuses, scaled
from tinyllm.prob import categorical, rejection

ON_PAIRS = on_pairs(rejection)


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


@pytest.mark.boundary
@pytest.mark.extended
def test_negative_masses_of_any_size_are_refused() -> None:
    """An entry of -1e-13, -1e-17 or -5e-324 is refused in each function and each place; -0.0 is a zero.

    Matters: noise below zero comes out of a subtraction that went wrong; clipping it hides where.
    """
    right = np.array([0.5, 0.5, 0.0])
    for call in ON_PAIRS:
        for negative in (-1e-10, -1e-13, -1e-17, -1e-300, -TINY):
            refuses(call, np.array([0.5, 0.5, negative]), right)
            refuses(call, right, np.array([0.5, 0.5, negative]))
        zero = np.array([0.5, 0.5, -0.0])
        call(zero, right)
        call(right, zero)
        call(zero, zero)
    for negative in (-1e-13, -1e-17, -TINY):
        refuses(categorical.sample_categorical, np.array([0.5, 0.5, negative]), 0.25)
    assert categorical.sample_categorical(np.array([-0.0, 1.0, -0.0]), 0.0) == 1


@pytest.mark.boundary
@pytest.mark.extended
def test_the_billionth_is_the_same_for_every_length() -> None:
    """A sum 0.99 billionths off 1 is a distribution and one 1.01 billionths off is none, with 2 ids or with 40.

    Matters: two engines must refuse the same vectors; a tolerance that is rounded or grows with n moves the line.
    """
    for n in (2, 40):
        right = np.full(n, 1 / n)
        for sign in (1.0, -1.0):
            near, far = right.copy(), right.copy()
            near[-1] += sign * 0.99e-9
            far[-1] += sign * 1.01e-9
            for call in ON_PAIRS:
                call(near, right)
                call(right, near)
                refuses(call, far, right)
                refuses(call, right, far)
    for call in ON_PAIRS[:3]:
        call(np.array([1.0 + 9e-10, 0.0]), np.array([1.0 - 9e-10, 0.0]))


@pytest.mark.unit
@pytest.mark.extended
def test_the_checked_sum_is_ascending() -> None:
    """Where the loop's sum lies on one side of the billionth and every other sum on the other, the loop's decides.

    Matters: one engine serving what the other refuses is the rarest kind of difference, and the hardest to find.
    """
    for weights, last, welcome in BILLIONTH_EDGES:
        p = scaled(weights)
        p[-1] = last
        for call in ON_PAIRS:
            if welcome:
                call(p, p)
            else:
                refuses(call, p, p)


@pytest.mark.boundary
@pytest.mark.extended
def test_both_arguments_wrong_alike_are_refused() -> None:
    """Columns, squares, cubes, numbers and sums past float64, and one id without mass 1 are refused.

    Both arguments are the same one, so that no difference of length stands in for the check.

    Matters: flattening a batch of one works until the batch has two.
    """
    bad: Any
    for bad in (
        [[0.5], [0.5]],
        [[0.25, 0.25], [0.25, 0.25]],
        [[[0.5, 0.5]]],
        [[[1.0]]],
        [10**400, 0.5],
        [1e308, 1e308],
        [0.5],
        [2.0],
        np.empty((0, 2)),
    ):
        for call in ON_PAIRS:
            refuses(call, bad, bad)
        refuses(categorical.sample_categorical, bad, 0.25)


@pytest.mark.boundary
@pytest.mark.extended
def test_complex_arrays_are_refused() -> None:
    """A complex array raises in each function and each place, with imaginary parts of 0 as with others.

    Matters: a conversion to real numbers drops the imaginary part; whoever hands one in has mixed up two tensors.
    """
    right = np.array([0.5, 0.5])
    for kind in (np.complex128, np.complex64):
        for bad in (np.array([0.5, 0.5], dtype=kind), np.array([0.5 + 1.0j, 0.5 - 1.0j], dtype=kind)):
            for call in ON_PAIRS:
                refuses(call, bad, right)
                refuses(call, right, bad)
            refuses(categorical.sample_categorical, bad, 0.25)
