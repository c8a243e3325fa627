"""What counts as a distribution, and the one draw from it: never an id without mass."""

import itertools
import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tinyllm.prob.categorical import SUM_TOLERANCE, as_distribution, sample_categorical

BELOW_ONE = 1.0 - 2**-53


@pytest.mark.parametrize(
    ("p", "u", "answer"),
    [
        ([0.0, 0.0, 0.5, 0.5], 0.0, 2),
        ([0.25, 0.0, 0.75], 0.25, 2),
        ([0.25, 0.0, 0.75], math.nextafter(0.25, 0.0), 0),
        ([0.5, 0.5, 0.0], 0.5, 1),
        ([0.5, 0.5, 0.0], BELOW_ONE, 1),
        ([1.0], 0.0, 0),
        ([1.0], BELOW_ONE, 0),
        ([0.1] * 10, BELOW_ONE, 9),
        ([0.1] * 10 + [0.0], BELOW_ONE, 9),
        ([0.0] + [0.1] * 10 + [0.0, 0.0], BELOW_ONE, 10),
    ],
)
def test_the_draw_is_the_smallest_id_strictly_above_u(p: list[float], u: float, answer: int) -> None:
    assert sample_categorical(p, u) == answer


def test_ten_tenths_end_below_one() -> None:
    assert list(itertools.accumulate([0.1] * 10))[-1] == 0.9999999999999999


def test_on_eighths_the_draw_follows_p_exactly() -> None:
    for counts in itertools.product(range(9), repeat=3):
        if sum(counts) == 8:
            drawn = [sample_categorical([count / 8 for count in counts], (2 * k + 1) / 16) for k in range(8)]
            law = [Fraction(drawn.count(index), 8) for index in range(3)]
            assert law == [Fraction(count, 8) for count in counts]


def test_an_id_without_mass_is_never_drawn() -> None:
    rng = random.Random(20)
    for _ in range(300):
        weights = [rng.choice([0, 0, 1, 3, 10]) for _ in range(rng.randint(1, 12))] + [1, 0]
        p = [weight / sum(weights) for weight in weights]
        sums = list(itertools.accumulate(p))
        for u in [0.0, BELOW_ONE, rng.random(), *(total for total in sums if total < 1.0)]:
            assert p[sample_categorical(p, u)] > 0.0, (p, u)


def test_a_uniform_of_another_width_is_compared_as_float64() -> None:
    p = [0.5 + 2**-40, 0.5 - 2**-40]
    float32: Any = np.float32
    assert sample_categorical(p, float32(0.5)) == sample_categorical(p, 0.5) == 0


def test_the_draw_is_a_plain_int() -> None:
    assert type(sample_categorical(np.array([0.5, 0.5]), 0.75)) is int


@pytest.mark.parametrize("u", [math.nan, 1.0, math.inf, -math.inf, -5e-324, math.nextafter(1.0, 2.0)])
def test_the_draw_refuses_what_is_no_uniform(u: float) -> None:
    with pytest.raises(ValueError, match=r"^u = "):
        sample_categorical([0.5, 0.5], u)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0.5, -0.25, 0.75], r"^target\[1\] = -0\.25 "),
        ([0.5, math.nan, -1.0], r"^target\[1\] = nan "),
        ([math.inf, 0.5], r"^target\[0\] = inf "),
        ([0.5, 0.5, -math.inf], r"^target\[2\] = -inf "),
        ([0.5, 0.25], r"^target .* 0\.75"),
        ([1e308, 1e308], r"^target .* inf"),
        ([], r"^target .*\(0,\)"),
        (0.5, r"^target .*\(\)"),
        ([[0.5, 0.5]], r"^target .*\(1, 2\)"),
        (["half", "half"], r"^target .*half"),
        ([0.5, 0.5j], r"^target .*complex"),
        (np.array([0.5, 0.5], dtype=np.complex128), r"^target .*complex"),
        (None, r"^target "),
        ([object()], r"^target "),
        ([10**400, 0.5], r"^target "),
        ([[0.5], [0.25, 0.25]], r"^target "),
    ],
)
def test_a_refusal_names_argument_id_and_value(values: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        as_distribution("target", values)


def test_the_tolerance_is_one_billionth_on_both_sides() -> None:
    assert SUM_TOLERANCE == 1e-9
    for inside in (1.0 + 0.99e-9, 1.0 - 0.99e-9):
        assert as_distribution("p", [0.0, inside])[1] == inside
    for outside in (1.0 + 1.01e-9, 1.0 - 1.01e-9):
        with pytest.raises(ValueError, match="sum to 1"):
            as_distribution("p", [0.0, outside])


@pytest.mark.parametrize(
    "values",
    [
        [0.25, 0.75],
        (0.25, 0.75),
        np.array([0.25, 0.75], dtype=np.float32),
        np.array([0.25, 0.75], dtype=">f8"),
        np.array([0.75, 0.25])[::-1],
        [Fraction(1, 4), Fraction(3, 4)],
        ["0.25", "0.75"],
    ],
)
def test_whatever_converts_to_float64_is_taken(values: Any) -> None:
    vector = as_distribution("p", values)
    assert vector.dtype == np.float64
    assert vector.tolist() == [0.25, 0.75]
