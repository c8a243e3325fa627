"""Decisions by match: shapes, ranges and kinds are patterns."""

import math
import operator

import numpy as np

from tinyllm.prob.categorical import as_distribution, sample_categorical


class ZeroResidualError(ArithmeticError):
    pass


def vectors(p, q):
    match as_distribution("p", p).tolist(), as_distribution("q", q).tolist():
        case [*a], [*b] if len(a) == len(b):
            return a, b
        case _:
            raise ValueError("lengths")


def rejection_accept(p_x, q_x, u):
    match float(p_x), float(q_x), float(u):
        case p, q, v if 0.0 <= p < math.inf and 0.0 < q < math.inf and 0.0 <= v < 1.0:
            return v < p / q
        case numbers:
            raise ValueError(f"{numbers}")


def acceptance_probability(p, q):
    total = 0.0
    for row in zip(*vectors(p, q), strict=True):
        match row:
            case a, b if a <= b:
                total += a
            case _, b:
                total += b
    return total


def excess(p, q):
    masses, total = [], 0.0
    for row in zip(p, q, strict=True):
        match row:
            case a, b if a > b:
                masses.append(a - b)
            case _:
                masses.append(0.0)
        total += masses[-1]
    return masses, total


def residual_distribution(p, q):
    p, q = vectors(p, q)
    match excess(p, q):
        case _, 0.0:
            return np.array(p)
        case masses, total:
            return np.array([mass / total for mass in masses])


def speculative_step(p, q, x, u_accept, u_resample):
    p, q = vectors(p, q)
    match x:
        case str() | float() | complex() | None:
            raise ValueError("x is no integer")
        case _:
            try:
                draft = operator.index(x)
            except TypeError as error:
                raise ValueError("x is no integer") from error
    match draft:
        case number if not 0 <= number < len(p):
            raise ValueError("x is no id")
        case number if q[number] == 0.0:
            raise ValueError("x cannot be proposed")
    match rejection_accept(p[draft], q[draft], u_accept), excess(p, q):
        case True, _:
            return draft, True
        case False, (_, 0.0):
            raise ZeroResidualError("no residual")
        case False, (masses, total):
            return sample_categorical([mass / total for mass in masses], u_resample), False


def rejection_sample(p, q, m, rng, max_tries=10000):
    p, q = vectors(p, q)
    match float(m), max_tries:
        case envelope, tries if 1.0 <= envelope < math.inf and tries >= 1:
            pass
        case _:
            raise ValueError("m or max_tries")
    for row in zip(p, q, strict=True):
        match row:
            case 0.0, _:
                continue
            case _, 0.0:
                raise ValueError("m")
            case a, b if a / b > envelope:
                raise ValueError("m")
    for number in range(1, max_tries + 1):
        match sample_categorical(q, rng.random()), rng.random():
            case x, u if u < p[x] / (envelope * q[x]):
                return x, number
    raise RuntimeError("max_tries")
