"""No loop at all: each sum is a function of the sum before it, in halves, so that it is never deep."""

import math
import operator

import numpy as np

from tinyllm.prob.categorical import as_distribution, sample_categorical


class ZeroResidualError(ArithmeticError):
    pass


def fold(values, start=0.0):
    if not values:
        return start
    if len(values) == 1:
        return start + values[0]
    middle = len(values) // 2
    return fold(values[middle:], fold(values[:middle], start))


def both(f, p, q):
    if len(p) == 1:
        return [f(p[0], q[0])]
    middle = len(p) // 2
    return both(f, p[:middle], q[:middle]) + both(f, p[middle:], q[middle:])


def checked(p, q):
    p, q = as_distribution("p", p).tolist(), as_distribution("q", q).tolist()
    if len(p) != len(q):
        raise ValueError("lengths")
    return p, q


def excess(a, b):
    return max(0.0, a - b)


def rejection_accept(p_x, q_x, u):
    p_x, q_x, u = float(p_x), float(q_x), float(u)
    if p_x < 0.0 or q_x <= 0.0 or not 0.0 <= u < 1.0 or not math.isfinite(p_x) or not math.isfinite(q_x):
        raise ValueError("range")
    return u < p_x / q_x


def acceptance_probability(p, q):
    return fold(both(min, *checked(p, q)))


def residual_distribution(p, q):
    p, q = checked(p, q)
    missing = both(excess, p, q)
    z = fold(missing)
    return np.array(p) if z == 0.0 else np.array(both(lambda mass, _: mass / z, missing, missing))


def speculative_step(p, q, x, u_accept, u_resample):
    p, q = checked(p, q)
    try:
        x = operator.index(x)
    except TypeError as error:
        raise ValueError("x") from error
    if not 0 <= x < len(p):
        raise ValueError("x")
    if rejection_accept(p[x], q[x], u_accept):
        return x, True
    if fold(both(excess, p, q)) == 0.0:
        raise ZeroResidualError("x")
    return sample_categorical(residual_distribution(p, q), u_resample), False


def attempt(p, q, m, rng, first, left):
    """Return the answer of some of the tries, or None; half of them, then the other half."""
    if left == 1:
        x = sample_categorical(q, rng.random())
        return (x, first) if rng.random() < p[x] / (m * q[x]) else None
    half = left // 2
    return attempt(p, q, m, rng, first, half) or attempt(p, q, m, rng, first + half, left - half)


def rejection_sample(p, q, m, rng, max_tries=10000):
    p, q = checked(p, q)
    m = float(m)
    if not 1.0 <= m < math.inf or max_tries < 1:
        raise ValueError("m")
    if any(both(lambda a, b: a > 0.0 and (b == 0.0 or a / b > m), p, q)):
        raise ValueError("m")
    answer = attempt(p, q, m, rng, 1, max_tries)
    if answer is None:
        raise RuntimeError("max_tries")
    return answer
