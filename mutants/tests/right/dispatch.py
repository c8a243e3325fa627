"""One generic function for each question, told apart by the type of what it gets."""

import functools
import math
import operator
from collections.abc import Callable, Sequence

import numpy as np

from tinyllm.prob.categorical import as_distribution, sample_categorical


class ZeroResidualError(ArithmeticError):
    pass


@functools.singledispatch
def masses(values):
    return as_distribution("a distribution", values).tolist()


@masses.register(tuple)
def _(values):
    return masses(list(values))


@functools.singledispatch
def ordered(values):
    raise TypeError(values)


@ordered.register(list)
@ordered.register(tuple)
def _(values: Sequence):
    return ordered(values.__getitem__, len(values))


@ordered.register(Callable)
def _(value_at, count):
    total = 0.0
    for index in range(count):
        total += value_at(index)
    return total


@functools.singledispatch
def number(x):
    try:
        return operator.index(x)
    except TypeError as error:
        raise ValueError("no integer") from error


@number.register(float)
@number.register(str)
def _(x):
    raise ValueError("no integer")


def pair(p, q):
    p, q = masses(p), masses(q)
    if len(p) != len(q):
        raise ValueError("lengths")
    return p, q


OPERATIONS = {
    "overlap": lambda a, b: b if b < a else a,
    "excess": lambda a, b: a - b if a > b else 0.0,
    "ratio": lambda a, b: 0.0 if a == 0.0 else math.inf if b == 0.0 else a / b,
}


def each(name, p, q):
    return [OPERATIONS[name](a, b) for a, b in zip(p, q, strict=True)]


def rejection_accept(p_x, q_x, u):
    checks = {
        "p_x": (float(p_x), operator.ge, 0.0, math.inf),
        "q_x": (float(q_x), operator.gt, 0.0, math.inf),
        "u": (float(u), operator.ge, 0.0, 1.0),
    }
    for name, (value, compare, low, high) in checks.items():
        if not compare(value, low) or not value < high:
            raise ValueError(name)
    return checks["u"][0] < checks["p_x"][0] / checks["q_x"][0]


def acceptance_probability(p, q):
    return ordered(each("overlap", *pair(p, q)))


def residual_distribution(p, q):
    p, q = pair(p, q)
    excess = each("excess", p, q)
    total = ordered(tuple(excess))
    return np.array([mass / total for mass in excess]) if total else np.array(p)


def speculative_step(p, q, x, u_accept, u_resample):
    p, q = pair(p, q)
    x = number(x)
    if not 0 <= x < len(p):
        raise ValueError("x")
    if rejection_accept(p[x], q[x], u_accept):
        return x, True
    if not ordered(each("excess", p, q)):
        raise ZeroResidualError("no excess")
    return sample_categorical(residual_distribution(p, q), u_resample), False


def rejection_sample(p, q, m, rng, max_tries=10000):
    p, q = pair(p, q)
    m = float(m)
    if not 1.0 <= m < math.inf or max_tries < 1 or max(each("ratio", p, q)) > m:
        raise ValueError("m")
    for tries in range(1, max_tries + 1):
        x = sample_categorical(q, rng.random())
        if rng.random() < p[x] / (m * q[x]):
            return x, tries
    raise RuntimeError("max_tries")
