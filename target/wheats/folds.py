"""Expressions only: folds for the sums, bisection for the draw, two uniforms a try from one zipped stream."""

from bisect import bisect_right
from functools import reduce
from itertools import accumulate
from math import isfinite
from operator import add, gt, index, truediv

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tinyllm.prob.categorical import as_distribution
from tinyllm.prob.uniforms import UniformSource


class ZeroResidualError(ArithmeticError):
    """A fold over the excess came out as 0 after a rejection."""


def rejection_accept(p_x: float, q_x: float, u: float) -> bool:
    """Return ``u < p_x / q_x``."""
    match float(p_x), float(q_x), float(u):
        case p_x, q_x, u if isfinite(p_x) and isfinite(q_x) and p_x >= 0.0 < q_x and 0.0 <= u < 1.0:
            return bool(gt(truediv(p_x, q_x), u))
        case refused:
            raise ValueError(f"(p_x, q_x, u) = {refused}")


def acceptance_probability(p: ArrayLike, q: ArrayLike) -> float:
    """Fold the smaller masses."""
    return reduce(lambda mass, pair: mass + min(pair), zip(*_columns(p, q), strict=True), 0.0)


def residual_distribution(p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]:
    """Divide the excess by its fold."""
    target, proposal = _columns(p, q)
    excess = _excess(target, proposal)
    return np.asarray(_scaled(excess) if any(excess) else target, dtype=np.float64)


def speculative_step(p: ArrayLike, q: ArrayLike, x: int, u_accept: float, u_resample: float) -> tuple[int, bool]:
    """Return the draft, or bisect the residual."""
    target, proposal = _columns(p, q)
    draft = _id_among(x, proposal)
    if rejection_accept(target[draft], proposal[draft], u_accept):
        return draft, True
    excess = _excess(target, proposal)
    if not any(excess):
        raise ZeroResidualError(f"{draft} at {u_accept}: the excess folds to 0")
    return _bisected(_scaled(excess), u_resample), False


def rejection_sample(
    p: ArrayLike, q: ArrayLike, m: float, rng: UniformSource, max_tries: int = 10000
) -> tuple[int, int]:
    """Return the first of the zipped tries whose second uniform is low enough."""
    (target, proposal), m = _columns(p, q), float(m)
    uncovered = [i for i, masses in enumerate(zip(target, proposal, strict=True)) if _over(*masses, m)]
    if not (isfinite(m) and m >= 1.0 and max_tries >= 1) or uncovered:
        raise ValueError(f"m = {m}, max_tries = {max_tries}, ids above the envelope: {uncovered}")
    uniforms = iter(rng.random, None)
    for tries, first, second in zip(range(1, max_tries + 1), uniforms, uniforms, strict=False):
        x = _bisected(proposal, first)
        if second < target[x] / (m * proposal[x]):
            return x, tries
    raise RuntimeError(f"no try among {max_tries} was kept")


def _columns(p: ArrayLike, q: ArrayLike) -> tuple[list[float], list[float]]:
    target, proposal = (as_distribution(name, values).tolist() for name, values in (("p", p), ("q", q)))
    if len(target) - len(proposal):
        raise ValueError(f"{len(target)} != {len(proposal)}")
    return target, proposal


def _id_among(x: int, proposal: list[float]) -> int:
    """Return ``x`` as one of the ids that can be proposed."""
    try:
        return next(filter(index(x).__eq__, filter(proposal.__getitem__, range(len(proposal)))))
    except (TypeError, StopIteration) as error:
        raise ValueError(f"{x!r} is never proposed") from error


def _over(p_i: float, q_i: float, m: float) -> bool:
    return p_i > 0.0 and (q_i == 0.0 or p_i / q_i > m)


def _excess(target: list[float], proposal: list[float]) -> list[float]:
    return [p_i - q_i if q_i < p_i else 0.0 for p_i, q_i in zip(target, proposal, strict=True)]


def _scaled(excess: list[float]) -> list[float]:
    return [mass / z for z in (reduce(add, excess, 0.0),) for mass in excess]


def _bisected(probabilities: list[float], u: float) -> int:
    """Return the first id whose running sum is above ``u``; past the end, the last whose mass is positive."""
    if not 0.0 <= u < 1.0:
        raise ValueError(f"u = {u}")
    position = bisect_right(list(accumulate(probabilities)), float(u))
    return min(position, max(i for i, mass in enumerate(probabilities) if mass > 0.0))
