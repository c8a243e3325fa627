"""The standard library's arrays inside, numpy's where the contract wants them."""

import math
import operator
from array import array
from bisect import bisect_right
from itertools import accumulate

import numpy as np

from tinyllm.prob.categorical import as_distribution


class ZeroResidualError(ArithmeticError):
    pass


def doubles(p, q):
    a = array("d", as_distribution("p", p).tobytes())
    b = array("d", as_distribution("q", q).tobytes())
    if len(a) != len(b):
        raise ValueError("lengths")
    return a, b


def running(masses):
    return array("d", accumulate(masses))


def draw(masses, u):
    u = float(u)
    if not 0.0 <= u < 1.0:
        raise ValueError("u")
    found = bisect_right(running(masses), u)
    if found < len(masses):
        return found
    return max(index for index, mass in enumerate(masses) if mass > 0.0)


def excess(a, b):
    return array("d", (x - y if x > y else 0.0 for x, y in zip(a, b, strict=True)))


def rejection_accept(p_x, q_x, u):
    p_x, q_x, u = array("d", (p_x, q_x, u))
    if not (0.0 <= p_x < math.inf and 0.0 < q_x < math.inf and 0.0 <= u < 1.0):
        raise ValueError("accept")
    return u < p_x / q_x


def acceptance_probability(p, q):
    return running(map(min, *doubles(p, q)))[-1]


def residual_distribution(p, q):
    a, b = doubles(p, q)
    masses = excess(a, b)
    z = running(masses)[-1]
    return np.array(a) if z == 0.0 else np.array(array("d", (mass / z for mass in masses)))


def speculative_step(p, q, x, u_accept, u_resample):
    a, b = doubles(p, q)
    try:
        x = operator.index(x)
    except TypeError as error:
        raise ValueError("x") from error
    if not 0 <= x < len(a):
        raise ValueError("x")
    if rejection_accept(a[x], b[x], u_accept):
        return x, True
    masses = excess(a, b)
    z = running(masses)[-1]
    if z == 0.0:
        raise ZeroResidualError("z")
    return draw(array("d", (mass / z for mass in masses)), u_resample), False


def rejection_sample(p, q, m, rng, max_tries=10000):
    a, b = doubles(p, q)
    (m,) = array("d", [m])
    if not 1.0 <= m < math.inf or max_tries < 1:
        raise ValueError("m")
    if any(x > 0.0 and (y == 0.0 or x / y > m) for x, y in zip(a, b, strict=True)):
        raise ValueError("m")
    for tries in range(1, max_tries + 1):
        x = draw(b, rng.random())
        if rng.random() < a[x] / (m * b[x]):
            return x, tries
    raise RuntimeError("max_tries")
