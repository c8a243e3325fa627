"""The fixed vectors are what their comments claim."""

import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace

import numpy as np
import pytest

from acidtest.properties.cases import (
    BILLIONTH_EDGES,
    EXAMPLES,
    EXCESS_WEIGHTS,
    LAST_UNIFORM,
    NOT_DISTRIBUTIONS,
    OUTSIDE_UNIT,
    OVERLAP_WEIGHTS,
    TINY,
    on_pairs,
    refuses,
    scaled,
    weighted_pairs,
)
from acidtest.properties.laws import ascending_sum, kept_masses, missing_masses


def neumaier(values: Sequence[float]) -> float:
    """Return the compensated sum that Python's ``sum`` computes since 3.12."""
    total, lost = 0.0, 0.0
    for value in values:
        new = total + value
        lost += (total - new) + value if abs(total) >= abs(value) else (value - new) + total
        total = new
    return total + lost


OTHER_SUMS: dict[str, Callable[[list[float]], float]] = {
    "pairwise": lambda values: float(np.sum(np.array(values))),
    "exactly rounded": math.fsum,
    "compensated": neumaier,
    "backwards": lambda values: ascending_sum(values[::-1]),
}


def test_examples_follow_from_their_pairs() -> None:
    for example in EXAMPLES:
        missing = missing_masses(example.target, example.proposal)
        assert example.alpha == sum(kept_masses(example.target, example.proposal)) == 1 - sum(missing)
        assert example.residual == tuple(mass / (1 - example.alpha) for mass in missing)
        assert example.p is not example.p


def test_every_other_summation_differs_from_the_loop() -> None:
    for number, (p, q) in enumerate((*EXCESS_WEIGHTS, OVERLAP_WEIGHTS)):
        pairs = list(zip(scaled(p).tolist(), scaled(q).tolist(), strict=True))
        values = [min(a, b) for a, b in pairs] if number == 2 else [max(0.0, a - b) for a, b in pairs]
        differing = {name for name, other in OTHER_SUMS.items() if other(values) != ascending_sum(values)}
        assert differing == set(OTHER_SUMS) if number else differing >= {"pairwise"}


def test_every_other_sum_lies_on_the_other_side_of_the_billionth() -> None:
    for weights, last, within in BILLIONTH_EDGES:
        p = [*scaled(weights).tolist()[:-1], last]
        assert (abs(ascending_sum(p) - 1.0) <= 1e-9) == within
        others = [OTHER_SUMS[name](p) for name in ("pairwise", "exactly rounded", "backwards")]
        assert [abs(other - 1.0) <= 1e-9 for other in others] == [not within] * 3
    assert {within for _, _, within in BILLIONTH_EDGES} == {True, False}


def test_weighted_pairs_are_distributions_of_each_size_in_turn_and_the_same_each_time() -> None:
    pairs = weighted_pairs(6, 3, 4)
    assert [(len(p), len(q)) for p, q in pairs] == [(3, 3), (4, 4)] * 3
    assert all(min(masses) > 0.0 and abs(math.fsum(masses) - 1.0) < 1e-15 for pair in pairs for masses in pair)
    assert any(mass * 2**40 % 1 for pair in pairs for masses in pair for mass in masses)
    assert pairs == weighted_pairs(6, 3, 4)


def test_functions_on_pairs_are_looked_up_at_each_call() -> None:
    target = SimpleNamespace()
    calls = on_pairs(target)
    for name in ("acceptance_probability", "residual_distribution", "speculative_step", "rejection_sample"):
        setattr(target, name, lambda *args, name=name: (name, args[:2]))
    assert [call("p", "q") for call in calls] == [(name, ("p", "q")) for name in vars(target)]


def test_the_last_uniform_is_the_float_below_one() -> None:
    assert math.nextafter(0.0, 1.0) == TINY
    assert math.nextafter(1.0, 0.0) == LAST_UNIFORM
    assert not any(0.0 <= u < 1.0 for u in OUTSIDE_UNIT)


def test_refusing_means_value_error_and_nothing_else() -> None:
    def answer(value: float) -> float:
        if value < 0:
            raise ValueError
        return 1 / value

    refuses(answer, -1.0)
    with pytest.raises(AssertionError, match=r"\(2.0,\) must be refused with ValueError, and was answered with 0.5"):
        refuses(answer, 2.0)
    with pytest.raises(ZeroDivisionError):
        refuses(answer, 0.0)


def test_each_wrong_vector_is_wrong_in_its_own_way() -> None:
    assert len(NOT_DISTRIBUTIONS) == 15
    for name in ("sums to more", "sums to less"):
        assert min(NOT_DISTRIBUTIONS[name]) >= 0.0
    assert sum(NOT_DISTRIBUTIONS["has a negative entry"]) == 1.0
