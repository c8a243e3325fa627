"""It tries first and asks afterwards: ranges are found out by looking up, and wrong numbers by arithmetic."""

import math
import operator

import numpy as np

from tinyllm.prob.categorical import as_distribution, sample_categorical


class ZeroResidualError(ArithmeticError):
    pass


class _WrongError(ValueError):
    pass


def _demand(condition, words):
    try:
        assert condition
    except AssertionError as error:
        raise _WrongError(words) from error


def _rows(p, q):
    p, q = as_distribution("p", p), as_distribution("q", q)
    try:
        return list(zip(p.tolist(), q.tolist(), strict=True))
    except ValueError as error:
        raise _WrongError("lengths differ") from error


def _excess(rows):
    masses, z = [], 0.0
    for a, b in rows:
        masses.append(max(0.0, a - b))
        z += masses[-1]
    return masses, z


def _normalized(rows):
    masses, z = _excess(rows)
    return [mass / z for mass in masses]


def rejection_accept(p_x, q_x, u):
    p_x, q_x, u = float(p_x), float(q_x), float(u)
    _demand(math.isfinite(p_x) and math.isfinite(q_x) and p_x >= 0.0 and q_x >= 0.0, "masses")
    _demand(0.0 <= u < 1.0, "uniform")
    try:
        return u < p_x / q_x
    except ZeroDivisionError as error:
        raise _WrongError("q_x is 0") from error


def acceptance_probability(p, q):
    alpha = 0.0
    for row in _rows(p, q):
        alpha += min(row)
    return alpha


def residual_distribution(p, q):
    rows = _rows(p, q)
    try:
        return np.array(_normalized(rows))
    except ZeroDivisionError:
        return np.array([a for a, _ in rows])


def speculative_step(p, q, x, u_accept, u_resample):
    rows = _rows(p, q)
    try:
        x = operator.index(x)
        p_x, q_x = dict(enumerate(rows))[x]
    except (TypeError, KeyError) as error:
        raise _WrongError("x") from error
    if rejection_accept(p_x, q_x, u_accept):
        return x, True
    try:
        masses = _normalized(rows)
    except ZeroDivisionError as error:
        raise ZeroResidualError("nothing is left") from error
    return sample_categorical(masses, u_resample), False


def rejection_sample(p, q, m, rng, max_tries=10000):
    rows, m = _rows(p, q), float(m)
    _demand(1.0 <= m < math.inf and max_tries >= 1, "m or max_tries")
    for a, b in rows:
        try:
            _demand(a == 0.0 or a / b <= m, "m")
        except ZeroDivisionError as error:
            raise _WrongError("m") from error
    for tries in range(1, max_tries + 1):
        x = sample_categorical([b for _, b in rows], rng.random())
        a, b = rows[x]
        if rng.random() < a / (m * b):
            return x, tries
    raise RuntimeError("max_tries")
