"""Right, and in no hurry: everything is computed anew wherever it is needed, and checked again each time."""

import math
import operator

import numpy as np

from tinyllm.prob.categorical import as_distribution, sample_categorical


class ZeroResidualError(ArithmeticError):
    pass


def entry(name, values, index):
    return as_distribution(name, values).tolist()[index]


def length(p, q):
    n = len(as_distribution("p", p).tolist())
    if len(as_distribution("q", q).tolist()) != n:
        raise ValueError("lengths")
    return n


def prefix(function, count):
    """Return the sum of the first ``count`` values, added up from the start."""
    total = 0.0
    for index in range(count):
        total += function(index)
    return total


def excess(p, q, index):
    difference = entry("p", p, index) - entry("q", q, index)
    return difference if difference > 0.0 else 0.0


def z(p, q):
    return prefix(lambda index: excess(p, q, index), length(p, q))


def rejection_accept(p_x, q_x, u):
    for number in (p_x, q_x, u):
        if not math.isfinite(float(number)):
            raise ValueError("not finite")
    if float(p_x) < 0.0 or float(q_x) <= 0.0 or float(u) < 0.0 or float(u) >= 1.0:
        raise ValueError("out of range")
    return float(u) < float(p_x) / float(q_x)


def acceptance_probability(p, q):
    n = length(p, q)
    return prefix(lambda index: min(entry("p", p, index), entry("q", q, index)), n)


def residual_distribution(p, q):
    n = length(p, q)
    result = np.zeros(n)
    for index in range(n):
        result[index] = excess(p, q, index) / z(p, q) if z(p, q) != 0.0 else entry("p", p, index)
    return result


def speculative_step(p, q, x, u_accept, u_resample):
    n = length(p, q)
    try:
        x = operator.index(x)
    except TypeError:
        raise ValueError("x") from None
    if x < 0 or x >= n:
        raise ValueError("x")
    if rejection_accept(entry("p", p, x), entry("q", q, x), u_accept):
        return x, True
    if z(p, q) == 0.0:
        raise ZeroResidualError("z")
    return sample_categorical(residual_distribution(p, q), u_resample), False


def rejection_sample(p, q, m, rng, max_tries=10000):
    n = length(p, q)
    if not math.isfinite(float(m)) or float(m) < 1.0 or max_tries < 1:
        raise ValueError("m")
    for index in range(n):
        if entry("p", p, index) > 0.0:
            if entry("q", q, index) == 0.0:
                raise ValueError("m")
            if entry("p", p, index) / entry("q", q, index) > float(m):
                raise ValueError("m")
    for tries in range(1, max_tries + 1):
        x = sample_categorical(q, rng.random())
        if rng.random() < entry("p", p, x) / (float(m) * entry("q", q, x)):
            return x, tries
    raise RuntimeError("max_tries")
