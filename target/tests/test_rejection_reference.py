"""The reference gives the answers that were worked out by hand, and its errors say what is wrong where."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tinyllm.prob import rejection

P, Q = [0.5, 0.25, 0.25, 0.0], [0.25, 0.5, 0.0, 0.25]
P2, Q2 = [0.5, 0.125, 0.375, 0.0], [0.125, 0.5, 0.125, 0.25]
TINY_P, TINY_Q = [1.0, 1e-17], [1.0, 2e-17]


@pytest.mark.parametrize(
    ("p", "q", "alpha", "residual"),
    [
        (P, Q, 0.5, [0.5, 0.0, 0.5, 0.0]),
        (P2, Q2, 0.375, [0.6, 0.0, 0.4, 0.0]),
        (P, P, 1.0, P),
        ([1.0, 0.0], [0.0, 1.0], 0.0, [1.0, 0.0]),
        (TINY_P, TINY_Q, 1.0, TINY_P),
    ],
)
def test_overlap_and_residual_of_pairs_worked_by_hand(
    p: list[float], q: list[float], alpha: float, residual: list[float]
) -> None:
    assert rejection.acceptance_probability(p, q) == alpha
    assert rejection.residual_distribution(p, q).tolist() == residual


@pytest.mark.parametrize(("p", "q"), [(P, Q), (P2, Q2)])
def test_a_step_puts_out_the_target_exactly(p: list[float], q: list[float]) -> None:
    """Uniforms are midpoints of 840 = lcm(1..8) cells; no ratio or residual breakpoint of eighths lies in a cell."""
    law = [Fraction(0)] * len(p)
    midpoints = [(2 * k + 1) / 1680 for k in range(840)]
    residual = [rejection.speculative_step(p, q, 3, 0.5, u)[0] for u in midpoints]
    for x in (index for index, mass in enumerate(q) if mass > 0.0):
        for u_accept in midpoints:
            answer, kept = rejection.speculative_step(p, q, x, u_accept, 0.5)
            share = Fraction(q[x]) / 840
            if kept:
                law[answer] += share
            else:
                for replacement in range(len(p)):
                    law[replacement] += share * Fraction(residual.count(replacement), 840)
    assert law == [Fraction(mass) for mass in p]


def test_a_rejection_without_residual_names_draft_ratio_and_uniform() -> None:
    with pytest.raises(rejection.ZeroResidualError, match=r"x = 1 with ratio 0\.5 .* u = 0\.75"):
        rejection.speculative_step(TINY_P, TINY_Q, 1, 0.75, 0.5)
    assert rejection.speculative_step(TINY_P, TINY_Q, 1, 0.25, math.nan) == (1, True)


def test_the_quotient_decides_where_the_product_rounds_the_other_way() -> None:
    p_x, q_x = 0.054, 0.811
    u = p_x / q_x
    assert u * q_x < p_x
    assert rejection.rejection_accept(p_x, q_x, u) is False
    assert rejection.rejection_accept(p_x, q_x, math.nextafter(u, 0.0)) is True


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("rejection_accept", (0.5, 0.0, 0.5), r"q_x = 0\.0"),
        ("rejection_accept", (-0.5, 0.5, 0.5), r"p_x = -0\.5"),
        ("rejection_accept", (0.5, 0.5, 1.0), r"u = 1\.0"),
        ("acceptance_probability", ([1.5, -0.5], [0.5, 0.5]), r"p\[1\] = -0\.5"),
        ("residual_distribution", ([0.5, 0.5], [math.nan, 0.5]), r"q\[0\] = nan"),
        ("residual_distribution", ([0.5, 0.5], [1.0]), "p has 2 ids and q has 1"),
        ("speculative_step", (P, Q, -1, 0.5, 0.5), r"x = -1 .*\[0, 4\)"),
        ("speculative_step", (P, Q, 1.0, 0.5, 0.5), r"x = 1\.0 must be an integer"),
        ("speculative_step", (P, Q, 2, 0.5, 0.5), r"q\[2\] = 0"),
        ("speculative_step", (P, Q, 1, 0.75, 1.0), r"u = 1\.0"),
        ("rejection_sample", (P2, P2, 0.5, None), r"m = 0\.5"),
        ("rejection_sample", (P2, P2, 1.0, None, 0), "max_tries = 0"),
        ("rejection_sample", (P, Q, 2.0, None), "id 2"),
    ],
)
def test_an_error_names_the_value(name: str, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        getattr(rejection, name)(*arguments)


def test_the_sums_are_loops_and_no_other_sum() -> None:
    p = np.array([9, 86, 3, 54, 8, 30, 48, 42]) / 280
    q = np.array([40, 3, 1, 13, 1, 67, 53, 65]) / 243
    excess = [max(0.0, p_i - q_i) for p_i, q_i in zip(p.tolist(), q.tolist(), strict=True)]
    z = 0.0
    for mass in excess:
        z += mass
    assert z != float(np.sum(excess))
    assert rejection.residual_distribution(p, q).tolist() == [mass / z for mass in excess]
