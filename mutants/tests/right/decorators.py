"""What every function checks is said above it."""

import functools
import math
import operator

import numpy as np

from tinyllm.prob.categorical import as_distribution, sample_categorical


class ZeroResidualError(ArithmeticError):
    pass


def on_distributions(function):
    @functools.wraps(function)
    def wrapper(p, q, *rest, **named):
        p, q = as_distribution("p", p).tolist(), as_distribution("q", q).tolist()
        if len(p) != len(q):
            raise ValueError(f"{function.__name__}: lengths")
        return function(p, q, *rest, **named)

    return wrapper


def refusing(**rules):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*values, **named):
            names = function.__wrapped__ if hasattr(function, "__wrapped__") else function
            bound = dict(zip(names.__code__.co_varnames, values, strict=False)) | named
            for name, rule in rules.items():
                if name in bound and not rule(bound[name]):
                    raise ValueError(f"{name} = {bound[name]!r}")
            return function(*values, **named)

        return wrapper

    return decorate


def plain(kind):
    def decorate(function):
        return functools.wraps(function)(lambda *values, **named: kind(function(*values, **named)))

    return decorate


def added_up(function):
    @functools.wraps(function)
    def wrapper(*values):
        total = 0.0
        for value in function(*values):
            total += value
        return total

    return wrapper


@plain(bool)
@refusing(
    p_x=lambda p_x: 0.0 <= float(p_x) < math.inf,
    q_x=lambda q_x: 0.0 < float(q_x) < math.inf,
    u=lambda u: 0.0 <= float(u) < 1.0,
)
def rejection_accept(p_x, q_x, u):
    return float(u) < float(p_x) / float(q_x)


@on_distributions
@added_up
def acceptance_probability(p, q):
    return (min(a, b) for a, b in zip(p, q, strict=True))


def excess(p, q):
    return [max(0.0, a - b) for a, b in zip(p, q, strict=True)]


z_of = added_up(excess)


@plain(np.array)
@on_distributions
def residual_distribution(p, q):
    z = z_of(p, q)
    return [mass / z for mass in excess(p, q)] if z else p


@on_distributions
def speculative_step(p, q, x, u_accept, u_resample):
    try:
        x = operator.index(x)
    except TypeError as error:
        raise ValueError("x") from error
    if not 0 <= x < len(p):
        raise ValueError("x")
    if rejection_accept(p[x], q[x], u_accept):
        return x, True
    if not z_of(p, q):
        raise ZeroResidualError("z")
    return sample_categorical(residual_distribution(p, q), u_resample), False


@on_distributions
@refusing(m=lambda m: 1.0 <= float(m) < math.inf, max_tries=lambda tries: tries >= 1)
def rejection_sample(p, q, m, rng, max_tries=10000):
    m = float(m)
    for a, b in zip(p, q, strict=True):
        if a > 0.0 and (b == 0.0 or a / b > m):
            raise ValueError("m")
    for tries in range(1, max_tries + 1):
        x = sample_categorical(q, rng.random())
        if rng.random() < p[x] / (m * q[x]):
            return x, tries
    raise RuntimeError("max_tries")
