"""The draw from a distribution that everything else rests on: the inverse CDF, its ties and its two ends."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from acidtest.properties.cases import EXAMPLES, LAST_UNIFORM, NOT_DISTRIBUTIONS, OUTSIDE_UNIT, TINY, refuses
from acidtest.properties.laws import inverse_cdf
from acidtest.properties.strategies import Pair, examples, pairs
from tinyllm.prob import categorical


@pytest.mark.statistical
@pytest.mark.extended
def test_categorical_law_is_p() -> None:
    """On eighths, the 16 midpoints of sixteenths draw each id exactly 16 * p_i times.

    Matters: every other law in this room is a composition with this one.
    """
    for example in EXAMPLES:
        for p in (example.p, example.q):
            drawn = [categorical.sample_categorical(p, (k + 0.5) / 16) for k in range(16)]
            assert [drawn.count(index) for index in range(len(p))] == [16 * mass for mass in p.tolist()]


@pytest.mark.boundary
@pytest.mark.extended
def test_categorical_ties_go_to_the_next_id() -> None:
    """At u equal to a running sum the next id with mass is drawn, at u = 0 the first one with mass.

    Matters: a comparison that is not strict returns ids without mass, and u = 0 does occur.
    """
    for p, u, index in (
        ([0.0, 0.5, 0.5], 0.0, 1),
        ([0.0, 0.5, 0.5], 0.5, 2),
        ([0.5, 0.5], 0.5, 1),
        ([0.25, 0.0, 0.0, 0.75], 0.25, 3),
        ([0.0, 0.0, 1.0, 0.0], 0.0, 2),
        ([0.125, 0.375, 0.0, 0.5], 0.125, 1),
        ([0.125, 0.375, 0.0, 0.5], 0.5, 3),
    ):
        assert categorical.sample_categorical(np.array(p), u) == index
        if u > 0.0:
            assert categorical.sample_categorical(np.array(p), math.nextafter(u, 0.0)) < index


@pytest.mark.boundary
@pytest.mark.extended
def test_categorical_short_sum_ends_at_the_last_positive_id() -> None:
    """Where the running sum ends at or below u, the last id with mass is drawn, not the last id.

    Matters: [0.1] * 10 ends at 0.9999999999999999; with padding behind it, one draw in 2**53 would be padding.
    """
    for zeros in range(3):
        p = np.array([0.0] * zeros + [0.1] * 10 + [0.0] * zeros)
        assert categorical.sample_categorical(p, LAST_UNIFORM) == 9 + zeros
        assert categorical.sample_categorical(p, 0.9999) == 9 + zeros
    assert categorical.sample_categorical(np.array([0.5, 0.0, 0.5 - 5e-10, 0.0]), 1 - 1e-10) == 2
    assert categorical.sample_categorical(np.array([1.0, 0.0]), LAST_UNIFORM) == 0


@pytest.mark.property
@pytest.mark.extended
@given(pairs())
@examples(40)
def test_categorical_walks_left_to_right(pair: Pair) -> None:
    """At every running sum of the loop, and one float below it, the id is the contract's.

    Matters: a pairwise or exact sum moves these boundaries by a bit, and with them the ids of a shared seed.
    """
    p = pair.p.tolist()
    running = 0.0
    for mass in p[:8]:
        running += mass
        for u in (running, math.nextafter(running, 0.0)):
            if u < 1.0:
                assert categorical.sample_categorical(pair.p, u) == inverse_cdf(p, u)
    assert categorical.sample_categorical(pair.p, LAST_UNIFORM) == inverse_cdf(p, LAST_UNIFORM)


@pytest.mark.boundary
@pytest.mark.extended
def test_categorical_refuses_bad_arguments() -> None:
    """u outside [0, 1) or NaN, and whatever is no distribution, raise.

    Matters: u = 1.0 would otherwise fall off the CDF and look like the last id's rightful draw.
    """
    for u in OUTSIDE_UNIT:
        refuses(categorical.sample_categorical, np.array([0.5, 0.5]), u)
    for bad in NOT_DISTRIBUTIONS.values():
        refuses(categorical.sample_categorical, bad, 0.25)
    for sign in (1.0, -1.0):
        categorical.sample_categorical(np.array([0.5, 0.5 + sign * 5e-10]), 0.25)
        refuses(categorical.sample_categorical, np.array([0.5, 0.5 + sign * 2e-9]), 0.25)


@pytest.mark.unit
@pytest.mark.extended
def test_categorical_returns_a_plain_int_and_writes_nothing() -> None:
    """The id is a plain int for arrays and lists alike, and the argument is as it was.

    Matters: the same vector is drawn from again, and the id is serialized.
    """
    p = np.array([0.25, 0.5, 0.25])
    p.flags.writeable = False
    masses = p.tolist()
    for u, index in ((0.0, 0), (0.3, 1), (0.8, 2)):
        for argument in (p, masses, tuple(masses)):
            answer = categorical.sample_categorical(argument, u)
            assert (type(answer), answer) == (int, index)
    assert masses == [0.25, 0.5, 0.25]


@pytest.mark.boundary
@pytest.mark.extended
def test_categorical_counts_the_smallest_masses() -> None:
    """A mass of 5e-324 is drawn where it is first and u is 0, and where it is last and the sum falls short.

    Matters: dropping what looks negligible makes an id impossible that the target allows.
    """
    for tiny in (1e-17, 1e-101, 1e-310, TINY):
        assert categorical.sample_categorical(np.array([tiny, 1.0]), 0.0) == 0
        assert categorical.sample_categorical(np.array([tiny, 1.0]), tiny) == 1
        short = np.array([0.1] * 10 + [0.0, tiny, 0.0])
        assert categorical.sample_categorical(short, LAST_UNIFORM) == 11


@pytest.mark.unit
@pytest.mark.extended
def test_categorical_compares_in_float64() -> None:
    """Integers, -0.0 and float32 are taken as uniforms and compared at float64's precision; arguments go by name.

    Matters: a generator of float32 uniforms is common, and a comparison in its precision moves every boundary.
    """
    below: Any = np.float32(0.7)
    above: Any = np.float32(0.3)
    u: Any
    assert float(below) < 0.7
    assert float(above) > 0.3
    assert categorical.sample_categorical(u=below, p=[0.7, 0.3]) == 0
    assert categorical.sample_categorical(u=above, p=[0.3, 0.7]) == 1
    for u in (0, -0.0, np.float64(0.0), np.int64(0)):
        assert categorical.sample_categorical([0.0, 1.0], u) == 1
