"""Whole vectors at once; cumsum adds from left to right, and sum() would not."""

import operator

import numpy as np

from tinyllm.prob.categorical import as_distribution, sample_categorical


class ZeroResidualError(ArithmeticError):
    pass


def _vectors(p, q):
    p, q = as_distribution("p", p), as_distribution("q", q)
    if p.shape != q.shape:
        raise ValueError(f"shapes {p.shape} and {q.shape}")
    return p, q


def _excess(p, q):
    excess = np.where(p > q, p - q, 0.0)
    return excess, np.cumsum(excess)[-1]


def rejection_accept(p_x, q_x, u):
    p_x, q_x, u = np.float64(p_x), np.float64(q_x), np.float64(u)
    if not (np.isfinite(p_x) and p_x >= 0 and np.isfinite(q_x) and q_x > 0 and 0 <= u < 1):
        raise ValueError(f"rejection_accept({p_x}, {q_x}, {u})")
    with np.errstate(all="ignore"):
        return bool(u < p_x / q_x)


def acceptance_probability(p, q):
    return float(np.cumsum(np.minimum(*_vectors(p, q)))[-1])


def residual_distribution(p, q):
    p, q = _vectors(p, q)
    excess, z = _excess(p, q)
    return excess / z if z else p.copy()


def speculative_step(p, q, x, u_accept, u_resample):
    p, q = _vectors(p, q)
    try:
        x = operator.index(x)
    except TypeError as error:
        raise ValueError("x must be an integer") from error
    if not 0 <= x < p.size or not q[x]:
        raise ValueError(f"x = {x}")
    if rejection_accept(p[x], q[x], u_accept):
        return x, True
    excess, z = _excess(p, q)
    if not z:
        raise ZeroResidualError(f"x = {x}")
    return sample_categorical(excess / z, u_resample), False


def rejection_sample(p, q, m, rng, max_tries=10000):
    p, q = _vectors(p, q)
    m = float(m)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratios = np.where(p > 0, p / q, 0.0)
    if not (1 <= m < np.inf and max_tries >= 1) or (ratios > m).any():
        raise ValueError(f"m = {m}, max_tries = {max_tries}")
    for tries in range(1, max_tries + 1):
        x = sample_categorical(q, rng.random())
        if rng.random() < p[x] / (m * q[x]):
            return x, tries
    raise RuntimeError(f"{max_tries} tries")
