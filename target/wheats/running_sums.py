"""Whole vectors at a time. Every sum is the end of a running sum, which numpy adds in ascending order."""

import operator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tinyllm.prob.uniforms import UniformSource

Vector = NDArray[np.float64]


class ZeroResidualError(ArithmeticError):
    """The residual has no mass, yet a draft was rejected."""


def rejection_accept(p_x: float, q_x: float, u: float) -> bool:
    """Compare ``u`` with the quotient of the two masses."""
    masses = np.array([p_x, q_x, u], dtype=np.float64)
    low_enough = masses < np.array([np.inf, np.inf, 1.0])
    if not (np.all(masses >= 0.0) and np.all(low_enough) and masses[1] > 0.0):
        raise ValueError(f"need 0 <= p_x, 0 < q_x, 0 <= u < 1, all finite; got {masses.tolist()}")
    with np.errstate(all="ignore"):
        return bool(masses[2] < masses[0] / masses[1])


def acceptance_probability(p: ArrayLike, q: ArrayLike) -> float:
    """Add up the elementwise minimum."""
    return _ascending(np.minimum(*_matched(p, q)))


def residual_distribution(p: ArrayLike, q: ArrayLike) -> Vector:
    """Normalize the positive part of the difference."""
    target, proposal = _matched(p, q)
    if np.all(target <= proposal):
        return target
    return _positive_part(target, proposal)


def speculative_step(p: ArrayLike, q: ArrayLike, x: int, u_accept: float, u_resample: float) -> tuple[int, bool]:
    """Return the draft or an entry of the residual."""
    target, proposal = _matched(p, q)
    try:
        draft = operator.index(x)
    except TypeError as error:
        raise ValueError("x has to be an integer") from error
    if draft not in range(target.size) or not proposal[draft]:
        raise ValueError(f"q does not propose {draft}")
    if rejection_accept(target[draft], proposal[draft], u_accept):
        return draft, True
    if np.all(target <= proposal):
        raise ZeroResidualError(f"x = {draft} failed at u = {u_accept}, and p exceeds q nowhere")
    return _invert(_positive_part(target, proposal), u_resample), False


def rejection_sample(
    p: ArrayLike, q: ArrayLike, m: float, rng: UniformSource, max_tries: int = 10000
) -> tuple[int, int]:
    """Tabulate the thresholds once, then try."""
    target, proposal = _matched(p, q)
    envelope = float(m)
    if not (np.isfinite(envelope) and envelope >= 1.0 and max_tries >= 1):
        raise ValueError(f"m = {m} and max_tries = {max_tries} must be at least 1, m finite")
    offered = proposal > 0.0
    if np.any(target[~offered]):
        raise ValueError("p has mass where q has none")
    with np.errstate(all="ignore"):
        if np.any(target[offered] / proposal[offered] > envelope):
            raise ValueError(f"m = {envelope} lies below the largest ratio")
        thresholds = np.divide(target, envelope * proposal, out=np.zeros_like(target), where=offered)
    for tries in range(1, max_tries + 1):
        x = _invert(proposal, rng.random())
        if rng.random() < thresholds[x]:
            return x, tries
    raise RuntimeError(f"gave up after {max_tries} proposals")


def _matched(p: ArrayLike, q: ArrayLike) -> tuple[Vector, Vector]:
    """Return fresh copies of both, checked."""
    target, proposal = _checked(p), _checked(q)
    if target.shape != proposal.shape:
        raise ValueError(f"shapes {target.shape} and {proposal.shape} differ")
    return target, proposal


def _checked(values: ArrayLike) -> Vector:
    if np.iscomplexobj(values):
        raise ValueError("complex numbers are no masses")
    try:
        vector = np.array(values, dtype=np.float64)
    except (TypeError, OverflowError) as error:
        raise ValueError(f"no float64 vector: {error}") from error
    if vector.ndim != 1 or not vector.size:
        raise ValueError(f"shape {vector.shape} is not that of a vector with entries")
    if not np.all(np.isfinite(vector) & (vector >= 0.0)):
        raise ValueError(f"masses out of range in {vector}")
    if not abs(_ascending(vector) - 1.0) <= 1e-9:
        raise ValueError(f"masses do not sum to 1: {vector}")
    return vector


def _ascending(vector: Vector) -> float:
    """Return the left-to-right sum; adding 0.0 turns the -0.0 of a vector of negative zeros into the loop's 0.0."""
    with np.errstate(over="ignore"):
        return float(np.cumsum(vector)[-1] + 0.0)


def _positive_part(target: Vector, proposal: Vector) -> Vector:
    excess = np.where(target > proposal, target - proposal, 0.0)
    return np.divide(excess, _ascending(excess))


def _invert(probabilities: Vector, u: float) -> int:
    """Return where the running sum first exceeds ``u``, or the last id with mass where it never does."""
    if not 0.0 <= float(u) < 1.0:
        raise ValueError(f"{u} is no uniform")
    index = int(np.searchsorted(np.cumsum(probabilities), float(u), side="right"))
    return min(index, int(np.flatnonzero(probabilities)[-1]))
