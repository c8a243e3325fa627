"""What was computed once for a pair is looked up from then on, by its numbers and never by the arrays."""

import functools
import math
import operator

import numpy as np

from tinyllm.prob.categorical import as_distribution, sample_categorical


class ZeroResidualError(ArithmeticError):
    pass


def key(p, q):
    p, q = tuple(as_distribution("p", p).tolist()), tuple(as_distribution("q", q).tolist())
    if len(p) != len(q):
        raise ValueError("lengths")
    return p, q


@functools.lru_cache(maxsize=4096)
def alpha_of(p, q):
    alpha = 0.0
    for p_i, q_i in zip(p, q, strict=True):
        alpha += min(p_i, q_i)
    return alpha


@functools.cache
def residual_of(p, q):
    masses = [max(0.0, p_i - q_i) for p_i, q_i in zip(p, q, strict=True)]
    z = 0.0
    for mass in masses:
        z += mass
    return tuple(mass / z for mass in masses) if z else None


@functools.lru_cache(maxsize=512)
def covers(p, q, m):
    return all(p_i == 0.0 or (q_i > 0.0 and p_i / q_i <= m) for p_i, q_i in zip(p, q, strict=True))


def rejection_accept(p_x, q_x, u):
    p_x, q_x, u = float(p_x), float(q_x), float(u)
    if not (0.0 <= p_x < math.inf and 0.0 < q_x < math.inf and 0.0 <= u < 1.0):
        raise ValueError("accept")
    return u < p_x / q_x


def acceptance_probability(p, q):
    return alpha_of(*key(p, q))


def residual_distribution(p, q):
    p, q = key(p, q)
    return np.array(residual_of(p, q) or p)


def speculative_step(p, q, x, u_accept, u_resample):
    p, q = key(p, q)
    try:
        x = operator.index(x)
    except TypeError as error:
        raise ValueError("x") from error
    if not 0 <= x < len(p):
        raise ValueError("x")
    if rejection_accept(p[x], q[x], u_accept):
        return x, True
    residual = residual_of(p, q)
    if residual is None:
        raise ZeroResidualError("z")
    return sample_categorical(residual, u_resample), False


def rejection_sample(p, q, m, rng, max_tries=10000):
    p, q = key(p, q)
    m = float(m)
    if not 1.0 <= m < math.inf or max_tries < 1 or not covers(p, q, m):
        raise ValueError("m")
    for tries in range(1, max_tries + 1):
        x = sample_categorical(q, rng.random())
        if rng.random() < p[x] / (m * q[x]):
            return x, tries
    raise RuntimeError("max_tries")
