"""Exact numbers, rounded to a float after each operation, as the hardware does it."""

import math
import operator
from fractions import Fraction

import numpy as np

from tinyllm.prob.categorical import as_distribution, sample_categorical


class ZeroResidualError(ArithmeticError):
    pass


def rounded(exact):
    return Fraction(float(exact))


def exact_pair(p, q):
    p, q = as_distribution("p", p).tolist(), as_distribution("q", q).tolist()
    if len(p) != len(q):
        raise ValueError("lengths")
    return [Fraction(value) for value in p], [Fraction(value) for value in q]


def added(values):
    total = Fraction(0)
    for value in values:
        total = rounded(total + value)
    return total


def excess(p, q):
    return [rounded(a - b) if a > b else Fraction(0) for a, b in zip(p, q, strict=True)]


def divided(a, b):
    try:
        return rounded(a / b)
    except OverflowError:  # beyond the largest float, which is all that anyone asks
        return math.inf


def rejection_accept(p_x, q_x, u):
    p_x, q_x, u = float(p_x), float(q_x), float(u)
    if not all(map(math.isfinite, (p_x, q_x, u))) or p_x < 0 or q_x <= 0 or not 0 <= u < 1:
        raise ValueError("range")
    return Fraction(u) < divided(Fraction(p_x), Fraction(q_x))


def acceptance_probability(p, q):
    return float(added(map(min, *exact_pair(p, q))))


def residual_distribution(p, q):
    p, q = exact_pair(p, q)
    missing = excess(p, q)
    z = added(missing)
    return np.array([float(a) for a in (p if z == 0 else [divided(mass, z) for mass in missing])])


def speculative_step(p, q, x, u_accept, u_resample):
    p, q = exact_pair(p, q)
    try:
        x = operator.index(x)
    except TypeError as error:
        raise ValueError("x") from error
    if not 0 <= x < len(p) or q[x] == 0:
        raise ValueError("x")
    if rejection_accept(p[x], q[x], u_accept):
        return x, True
    missing = excess(p, q)
    z = added(missing)
    if z == 0:
        raise ZeroResidualError("z")
    return sample_categorical([float(divided(mass, z)) for mass in missing], u_resample), False


def rejection_sample(p, q, m, rng, max_tries=10000):
    p, q = exact_pair(p, q)
    m = float(m)
    if not math.isfinite(m) or m < 1 or max_tries < 1:
        raise ValueError("m")
    if any(a > 0 and (b == 0 or divided(a, b) > m) for a, b in zip(p, q, strict=True)):
        raise ValueError("m")
    proposal = [float(b) for b in q]
    for tries in range(1, max_tries + 1):
        x = sample_categorical(proposal, rng.random())
        if rng.random() < divided(p[x], rounded(Fraction(m) * q[x])):
            return x, tries
    raise RuntimeError("max_tries")
