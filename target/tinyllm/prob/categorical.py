"""Distributions over ids, checked, and one draw from them by the inverse CDF."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

SUM_TOLERANCE = 1e-9


def as_distribution(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return ``values`` as a float64 vector, or refuse what is not a distribution.

    Args:
        name: what the caller calls the argument; it opens every message.
        values: shape [n], n >= 1, entries finite and >= 0, left-to-right sum within 1e-9 of 1.

    Returns:
        float64[n]; it may share memory with ``values``, so the caller must not write to it.

    Raises:
        ValueError: not a distribution; the message has the first offending id and its value.
    """
    try:
        if np.iscomplexobj(values):
            raise TypeError("complex numbers are no masses")
        vector = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} must convert to float64: {error}") from error
    if vector.ndim != 1 or vector.size == 0:
        raise ValueError(f"{name} must be a non-empty vector, got shape {vector.shape}")
    total = 0.0
    for index, value in enumerate(vector.tolist()):
        if not 0.0 <= value < math.inf:
            raise ValueError(f"{name}[{index}] = {value!r} must be finite and >= 0")
        total += value
    if abs(total - 1.0) > SUM_TOLERANCE:
        raise ValueError(f"{name} must sum to 1 within {SUM_TOLERANCE}, got {total!r}")
    return vector


def sample_categorical(p: ArrayLike, u: float) -> int:
    """Return the smallest id whose left-to-right running sum of ``p`` is strictly above ``u``.

    An id without mass is never returned. Where rounding leaves the last running sum at or below ``u``,
    the answer is the last id with positive mass.

    Args:
        p: float64[n], a distribution (see ``as_distribution``).
        u: a uniform in [0, 1).

    Raises:
        ValueError: ``p`` is not a distribution, or ``u`` is NaN or outside [0, 1).
    """
    probabilities = as_distribution("p", p).tolist()
    u = float(u)
    if not 0.0 <= u < 1.0:
        raise ValueError(f"u = {u!r} must be in [0, 1)")
    running = 0.0
    last_positive = 0
    for index, probability in enumerate(probabilities):
        running += probability
        if running > u:
            return index
        if probability > 0.0:
            last_positive = index
    return last_positive
