"""Every check in the opposite order and in other words, with an error class of its own below ``ValueError``.

The last argument is looked at first, ``q`` before ``p``, the sum before the entries. The second uniform of a step
still waits for a rejection, which is a rule and not a matter of order.
"""

import math
import operator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tinyllm.prob.categorical import sample_categorical
from tinyllm.prob.uniforms import UniformSource


class RefusedError(ValueError):
    """An argument that the contract rules out."""


class ExhaustedError(RuntimeError):
    """No proposal was kept in time."""


class ZeroResidualError(ArithmeticError):
    """There is no residual to draw from."""


def rejection_accept(p_x: float, q_x: float, u: float) -> bool:
    """Keep the draft unless ``u`` has reached the ratio."""
    u, q_x, p_x = float(u), float(q_x), float(p_x)
    _refuse_unless(0.0 <= u < 1.0, "a uniform lies in [0, 1)")
    _refuse_unless(0.0 < q_x < math.inf, "a draft needs a finite proposal mass above 0")
    _refuse_unless(0.0 <= p_x < math.inf, "a target mass is finite and not below 0")
    return not u >= p_x / q_x


def acceptance_probability(p: ArrayLike, q: ArrayLike) -> float:
    """Return the common mass."""
    proposal, target = _distributions(q, p)
    return _total(np.minimum(proposal, target))


def residual_distribution(p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]:
    """Return the target without the common mass, scaled to 1."""
    proposal, target = _distributions(q, p)
    missing = _missing(target, proposal)
    z = _total(missing)
    return missing / z if z > 0.0 else np.array(target)


def speculative_step(p: ArrayLike, q: ArrayLike, x: int, u_accept: float, u_resample: float) -> tuple[int, bool]:
    """Return the draft, or what replaces it."""
    u_accept = float(u_accept)
    _refuse_unless(0.0 <= u_accept < 1.0, "a uniform lies in [0, 1)")
    try:
        x = operator.index(x)
    except TypeError:
        raise RefusedError("an id is an integer") from None
    _refuse_unless(x >= 0, "an id is not negative")
    proposal, target = _distributions(q, p)
    _refuse_unless(x < len(proposal), "an id lies below the size of the vocabulary")
    _refuse_unless(proposal.item(x) > 0.0, "a draft has proposal mass")
    if rejection_accept(target.item(x), proposal.item(x), u_accept):
        return x, True
    missing = _missing(target, proposal)
    if not missing.any():
        raise ZeroResidualError(f"id {x} is rejected at {u_accept} and nothing is missing from the target")
    return sample_categorical(missing / _total(missing), u_resample), False


def rejection_sample(
    p: ArrayLike, q: ArrayLike, m: float, rng: UniformSource, max_tries: int = 10000
) -> tuple[int, int]:
    """Return the first proposal that is kept, and its number."""
    _refuse_unless(max_tries >= 1, "at least one try")
    m = float(m)
    _refuse_unless(1.0 <= m < math.inf, "an envelope is finite and at least 1")
    proposal, target = _distributions(q, p)
    for x in reversed(range(len(target))):
        covered = target[x] == 0.0 or (proposal[x] > 0.0 and target.item(x) / proposal.item(x) <= m)
        _refuse_unless(bool(covered), "an envelope covers every id with target mass")
    for tries in range(max_tries):
        x = sample_categorical(proposal, rng.random())
        if rng.random() < target.item(x) / (m * proposal.item(x)):
            return x, tries + 1
    raise ExhaustedError("every proposal was rejected")


def _refuse_unless(holds: bool, rule: str) -> None:
    if not holds:
        raise RefusedError(rule)


def _distributions(q: ArrayLike, p: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return ``q`` and ``p`` for reading, once their lengths, sums and entries have been looked at, in this order."""
    vectors = []
    for values in (q, p):
        _refuse_unless(not np.iscomplexobj(values), "masses are real")
        try:
            vectors.append(np.asarray(values, dtype=np.float64))
        except (TypeError, ValueError, OverflowError) as error:
            raise RefusedError("masses are float64 numbers") from error
    _refuse_unless(vectors[0].shape == vectors[1].shape, "two distributions have one shape")
    for vector in vectors:
        _refuse_unless(vector.ndim == 1 and len(vector) > 0, "a distribution is a vector that is not empty")
        _refuse_unless(abs(_total(vector) - 1.0) <= 1e-9, "a distribution sums to 1")
        _refuse_unless(min(vector.tolist()) >= 0.0, "a mass is not negative")
    return vectors[0], vectors[1]


def _total(vector: NDArray[np.float64]) -> float:
    """Return the sum from the first entry to the last; it is NaN or infinite where an entry is."""
    total = 0.0
    for mass in vector.tolist():
        total += mass
    return total


def _missing(target: NDArray[np.float64], proposal: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``target`` less the common mass; adding 0.0 makes every zero a positive one."""
    return target - np.minimum(target, proposal) + 0.0
