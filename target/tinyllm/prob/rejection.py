"""Keep a draft or replace it, so that the output is distributed as the target whatever proposed it.

The chapter's five functions. Every sum is one loop over ascending ids with one rounding an addition: a port in
another language must reach the same decisions, so the order is part of the contract.
"""

import math
import operator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tinyllm.prob.categorical import as_distribution, sample_categorical
from tinyllm.prob.uniforms import UniformSource


class ZeroResidualError(ArithmeticError):
    """A draft was rejected although float64 leaves no residual mass to draw a replacement from."""


def rejection_accept(p_x: float, q_x: float, u: float) -> bool:
    """Return whether a draft with target mass ``p_x`` and proposal mass ``q_x`` is kept: ``u < p_x / q_x``.

    Strict, because u takes the value 0 and a token without target mass must not pass; a division, because
    ``u * q_x < p_x`` rounds differently at the boundary. Chapter section 2.2.

    Raises:
        ValueError: ``q_x <= 0``, ``p_x < 0``, ``u`` outside [0, 1), or any of them NaN or infinite.
    """
    p_x, q_x, u = float(p_x), float(q_x), float(u)
    if not 0.0 <= p_x < math.inf:
        raise ValueError(f"p_x = {p_x!r} must be finite and >= 0")
    if not 0.0 < q_x < math.inf:
        raise ValueError(f"q_x = {q_x!r} must be finite and > 0")
    if not 0.0 <= u < 1.0:
        raise ValueError(f"u = {u!r} must be in [0, 1)")
    return u < p_x / q_x


def acceptance_probability(p: ArrayLike, q: ArrayLike) -> float:
    """Return alpha, the left-to-right sum of ``min(p_i, q_i)``: the share of drafts from ``q`` that are kept.

    Not clamped: it may exceed 1 by the rounding of its inputs. Chapter section 2.3.

    Args:
        p: float64[n], the target. q: float64[n], the proposal.

    Raises:
        ValueError: not distributions, or of different lengths.
    """
    target, proposal = _pair(p, q)
    alpha = 0.0
    for p_i, q_i in zip(target.tolist(), proposal.tolist(), strict=True):
        alpha += min(p_i, q_i)
    return alpha


def residual_distribution(p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]:
    """Return ``max(0, p_i - q_i) / Z``, what keeping drafts leaves missing from ``p``; a copy of ``p`` where Z is 0.

    ``Z`` is the left-to-right sum of the numerators. The result never shares memory with an argument.
    Chapter section 2.3.

    Args:
        p: float64[n], the target. q: float64[n], the proposal.

    Returns:
        float64[n], a distribution.

    Raises:
        ValueError: not distributions, or of different lengths.
    """
    target, proposal = _pair(p, q)
    excess, z = _excess(target, proposal)
    if z == 0.0:
        return target.copy()
    return np.array([mass / z for mass in excess], dtype=np.float64)


def speculative_step(p: ArrayLike, q: ArrayLike, x: int, u_accept: float, u_resample: float) -> tuple[int, bool]:
    """Keep the draft ``x`` drawn from ``q``, or draw its replacement from the residual: the output follows ``p``.

    ``u_resample`` is looked at only once the draft is rejected. Chapter sections 2.3 and 2.4.

    Args:
        p: float64[n], the target. q: float64[n], the proposal.
        x: the draft, an id in [0, n) with ``q[x] > 0``.
        u_accept, u_resample: independent uniforms in [0, 1).

    Returns:
        ``(x, True)`` for a kept draft, ``(replacement, False)`` for a rejected one.

    Raises:
        ValueError: not distributions, different lengths, a draft that ``q`` cannot propose, a uniform out of range.
        ZeroResidualError: the draft is rejected, yet every ``p_i - q_i`` is at most 0 in float64.
    """
    target, proposal = _pair(p, q)
    try:
        draft = operator.index(x)
    except TypeError as error:
        raise ValueError(f"x = {x!r} must be an integer") from error
    if not 0 <= draft < target.size:
        raise ValueError(f"x = {draft} must be in [0, {target.size})")
    p_x, q_x = float(target[draft]), float(proposal[draft])
    if q_x == 0.0:
        raise ValueError(f"q[{draft}] = 0: the proposal cannot have drawn this draft")
    if rejection_accept(p_x, q_x, u_accept):
        return draft, True
    _, z = _excess(target, proposal)
    if z == 0.0:
        raise ZeroResidualError(
            f"draft x = {draft} with ratio {p_x / q_x!r} is rejected at u = {u_accept!r}, "
            "and p - q has no positive entry to resample from"
        )
    return sample_categorical(residual_distribution(target, proposal), u_resample), False


def rejection_sample(
    p: ArrayLike, q: ArrayLike, m: float, rng: UniformSource, max_tries: int = 10000
) -> tuple[int, int]:
    """Draw from ``p`` by von Neumann's method: propose from ``q``, keep ``x`` where ``u < p_x / (m * q_x)``.

    Each try draws exactly two uniforms, the proposal's first. The number of tries is geometric with mean ``m``.
    Chapter section 2.1.

    Args:
        p: float64[n], the target. q: float64[n], the proposal.
        m: the envelope, finite, >= 1, with ``p_i / q_i <= m`` for every id that ``p`` can produce.
        rng: where uniforms come from.
        max_tries: how many proposals to make at most, >= 1.

    Returns:
        The id, and the number of tries counted from 1.

    Raises:
        ValueError: not distributions, different lengths, ``m`` or ``max_tries`` out of range, ``m`` too small.
        RuntimeError: ``max_tries`` proposals were all rejected.
    """
    target, proposal = _pair(p, q)
    m = float(m)
    if not 1.0 <= m < math.inf:
        raise ValueError(f"m = {m!r} must be finite and >= 1")
    if max_tries < 1:
        raise ValueError(f"max_tries = {max_tries!r} must be >= 1")
    for index, (p_i, q_i) in enumerate(zip(target.tolist(), proposal.tolist(), strict=True)):
        if p_i > 0.0 and (q_i == 0.0 or p_i / q_i > m):
            raise ValueError(f"m = {m!r} does not cover id {index}: p = {p_i!r}, q = {q_i!r}")
    for tries in range(1, max_tries + 1):
        x = sample_categorical(proposal, rng.random())
        if rng.random() < float(target[x]) / (m * float(proposal[x])):
            return x, tries
    raise RuntimeError(f"no proposal accepted in max_tries = {max_tries}")


def _pair(p: ArrayLike, q: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both arguments as checked vectors of one length, or raise ``ValueError``."""
    target, proposal = as_distribution("p", p), as_distribution("q", q)
    if target.size != proposal.size:
        raise ValueError(f"p has {target.size} ids and q has {proposal.size}: the vocabularies must match")
    return target, proposal


def _excess(p: NDArray[np.float64], q: NDArray[np.float64]) -> tuple[list[float], float]:
    """Return ``max(0, p_i - q_i)`` for every id, and their left-to-right sum ``Z``."""
    excess = [max(0.0, p_i - q_i) for p_i, q_i in zip(p.tolist(), q.tolist(), strict=True)]
    z = 0.0
    for mass in excess:
        z += mass
    return excess, z
