"""Lists and loops, and numpy only at the door."""

import math
import operator

import numpy as np

from tinyllm.prob.categorical import as_distribution, sample_categorical


class ZeroResidualError(ArithmeticError):
    pass


def rejection_accept(p_x, q_x, u):
    p_x, q_x, u = float(p_x), float(q_x), float(u)
    if math.isnan(p_x) or math.isinf(p_x) or p_x < 0:
        raise ValueError("p_x")
    if math.isnan(q_x) or math.isinf(q_x) or q_x <= 0:
        raise ValueError("q_x")
    if math.isnan(u) or u < 0 or u >= 1:
        raise ValueError("u")
    if u < p_x / q_x:
        return True
    return False


def to_lists(p, q):
    p = as_distribution("p", p).tolist()
    q = as_distribution("q", q).tolist()
    if len(p) != len(q):
        raise ValueError("p and q have different lengths")
    return p, q


def acceptance_probability(p, q):
    p, q = to_lists(p, q)
    total = 0.0
    for i in range(len(p)):
        if p[i] < q[i]:
            total += p[i]
        else:
            total += q[i]
    return total


def differences(p, q):
    excess = []
    total = 0.0
    for i in range(len(p)):
        if p[i] > q[i]:
            excess.append(p[i] - q[i])
        else:
            excess.append(0.0)
        total += excess[i]
    return excess, total


def residual_distribution(p, q):
    p, q = to_lists(p, q)
    excess, total = differences(p, q)
    if total == 0:
        return np.array(p)
    for i in range(len(excess)):
        excess[i] = excess[i] / total
    return np.array(excess)


def speculative_step(p, q, x, u_accept, u_resample):
    p, q = to_lists(p, q)
    try:
        x = operator.index(x)
    except TypeError:
        raise ValueError("x is not an integer") from None
    if x < 0 or x >= len(p):
        raise ValueError("x is out of range")
    if q[x] == 0:
        raise ValueError("q[x] is 0")
    if rejection_accept(p[x], q[x], u_accept):
        return x, True
    if differences(p, q)[1] == 0:
        raise ZeroResidualError("nothing to draw from")
    return sample_categorical(residual_distribution(p, q), u_resample), False


def rejection_sample(p, q, m, rng, max_tries=10000):
    p, q = to_lists(p, q)
    m = float(m)
    if math.isnan(m) or math.isinf(m) or m < 1:
        raise ValueError("m")
    if max_tries < 1:
        raise ValueError("max_tries")
    for i in range(len(p)):
        if p[i] > 0:
            if q[i] == 0:
                raise ValueError("m")
            if p[i] / q[i] > m:
                raise ValueError("m")
    tries = 0
    while tries < max_tries:
        tries += 1
        x = sample_categorical(q, rng.random())
        u = rng.random()
        if u < p[x] / (m * q[x]):
            return x, tries
    raise RuntimeError("too many tries")
