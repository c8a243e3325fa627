"""Plain Python: lists, floats and loops. numpy converts what comes in and wraps what goes out, and adds nothing up."""

import math
import operator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tinyllm.prob.categorical import sample_categorical
from tinyllm.prob.uniforms import UniformSource


class ZeroResidualError(ArithmeticError):
    """Rejected, and nothing to draw from."""


def rejection_accept(p_x: float, q_x: float, u: float) -> bool:
    """Return whether ``u`` is strictly below the ratio."""
    p_x = float(p_x)
    q_x = float(q_x)
    u = float(u)
    if not math.isfinite(p_x) or p_x < 0.0:
        raise ValueError(f"target mass {p_x} is negative or not finite")
    if not math.isfinite(q_x) or q_x <= 0.0:
        raise ValueError(f"proposal mass {q_x} is not positive or not finite")
    if math.isnan(u) or u < 0.0 or u >= 1.0:
        raise ValueError(f"uniform {u} is outside [0, 1)")
    ratio = p_x / q_x
    return ratio > u


def acceptance_probability(p: ArrayLike, q: ArrayLike) -> float:
    """Return the overlap of ``p`` and ``q``."""
    target, proposal = _both(p, q)
    overlap = 0.0
    for i in range(len(target)):
        common = target[i]
        if proposal[i] < common:
            common = proposal[i]
        overlap = overlap + common
    return overlap


def residual_distribution(p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]:
    """Return what the overlap leaves missing from ``p``, normalized."""
    target, proposal = _both(p, q)
    return np.array(_residual(target, proposal) or target, dtype=np.float64)


def speculative_step(p: ArrayLike, q: ArrayLike, x: int, u_accept: float, u_resample: float) -> tuple[int, bool]:
    """Keep the draft, or replace it."""
    target, proposal = _both(p, q)
    try:
        draft = operator.index(x)
    except TypeError:
        raise ValueError(f"draft {x!r} is no integer") from None
    if draft < 0 or draft >= len(target):
        raise ValueError(f"draft {draft} is not among the {len(target)} ids")
    if proposal[draft] == 0.0:
        raise ValueError(f"draft {draft} has no proposal mass")
    if rejection_accept(target[draft], proposal[draft], u_accept):
        return draft, True
    residual = _residual(target, proposal)
    if not residual:
        raise ZeroResidualError(f"draft {draft} rejected by {u_accept}, but no id has more target than proposal mass")
    return sample_categorical(residual, u_resample), False


def rejection_sample(
    p: ArrayLike, q: ArrayLike, m: float, rng: UniformSource, max_tries: int = 10000
) -> tuple[int, int]:
    """Propose until one proposal is kept."""
    target, proposal = _both(p, q)
    m = float(m)
    if math.isnan(m) or math.isinf(m) or m < 1.0:
        raise ValueError(f"envelope {m} is below 1 or not finite")
    if max_tries < 1:
        raise ValueError(f"{max_tries} tries are too few")
    for i in range(len(target)):
        if target[i] == 0.0:
            continue
        if proposal[i] == 0.0:
            raise ValueError(f"no envelope covers id {i}, which is never proposed")
        if target[i] / proposal[i] > m:
            raise ValueError(f"envelope {m} is too small for id {i}")
    tries = 0
    while tries < max_tries:
        tries += 1
        x = sample_categorical(proposal, rng.random())
        u = rng.random()
        if u < target[x] / (m * proposal[x]):
            return x, tries
    raise RuntimeError(f"{tries} tries, none kept")


def _both(p: ArrayLike, q: ArrayLike) -> tuple[list[float], list[float]]:
    target = _floats("p", p)
    proposal = _floats("q", q)
    if len(target) != len(proposal):
        raise ValueError(f"{len(target)} ids in p, {len(proposal)} in q")
    return target, proposal


def _floats(name: str, values: ArrayLike) -> list[float]:
    """Return a distribution as a list of its own."""
    entries = np.asarray(values)
    if entries.ndim != 1:
        raise ValueError(f"{name} has {entries.ndim} dimensions, not 1")
    floats = []
    total = 0.0
    for entry in entries.tolist():
        try:
            value = float(entry)
        except (TypeError, OverflowError) as error:
            raise ValueError(f"{name} holds {entry!r}, which is no float64") from error
        if math.isnan(value) or math.isinf(value) or value < 0.0:
            raise ValueError(f"{name} holds {value}, which is no mass")
        floats.append(value)
        total = total + value
    if not floats or abs(total - 1.0) > 1e-9:
        raise ValueError(f"{name} adds up to {total}")
    return floats


def _residual(target: list[float], proposal: list[float]) -> list[float]:
    """Return the normalized excess of ``target``, or an empty list where there is none."""
    z = 0.0
    excess = []
    for i in range(len(target)):
        missing = 0.0
        if target[i] > proposal[i]:
            missing = target[i] - proposal[i]
        excess.append(missing)
        z = z + missing
    if z == 0.0:
        return []
    return [missing / z for missing in excess]
