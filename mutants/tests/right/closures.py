"""Functions that make functions: each carries what it knows."""

import math
import operator

import numpy as np

from tinyllm.prob.categorical import as_distribution, sample_categorical


class ZeroResidualError(ArithmeticError):
    pass


def within(low, high, strictly_above=False):
    def check(name):
        def convert(value):
            number = float(value)
            if not (low < number if strictly_above else low <= number) or not number < high:
                raise ValueError(f"{name} = {number}")
            return number

        return convert

    return check


to_p = within(0.0, math.inf)("p_x")
to_q = within(0.0, math.inf, strictly_above=True)("q_x")
to_u = within(0.0, 1.0)("u")
to_m = within(1.0, math.inf)("m")


def keeper(p_x, q_x):
    ratio = to_p(p_x) / to_q(q_x)
    return lambda u: to_u(u) < ratio


def adder():
    total = 0.0

    def add(value=0.0):
        nonlocal total
        total += value
        return total

    return add


def over(p, q):
    p, q = as_distribution("p", p).tolist(), as_distribution("q", q).tolist()
    if len(p) != len(q):
        raise ValueError("lengths")

    def apply(function):
        return [function(a, b) for a, b in zip(p, q, strict=True)]

    return apply


def normalizer(masses):
    add = adder()
    for mass in masses:
        add(mass)
    z = add()
    return z, lambda: np.array([mass / z for mass in masses])


def excess(a, b):
    return a - b if a > b else 0.0


def rejection_accept(p_x, q_x, u):
    return keeper(p_x, q_x)(u)


def acceptance_probability(p, q):
    add = adder()
    over(p, q)(lambda a, b: add(min(a, b)))
    return add()


def residual_distribution(p, q):
    apply = over(p, q)
    z, normalized = normalizer(apply(excess))
    return normalized() if z else np.array(apply(lambda a, _: a))


def speculative_step(p, q, x, u_accept, u_resample):
    apply = over(p, q)
    try:
        x = operator.index(x)
    except TypeError as error:
        raise ValueError("x") from error
    keepers = apply(lambda a, b: lambda u: keeper(a, b)(u))
    if not 0 <= x < len(keepers):
        raise ValueError("x")
    if keepers[x](u_accept):
        return x, True
    z, normalized = normalizer(apply(excess))
    if not z:
        raise ZeroResidualError("z = 0")
    return sample_categorical(normalized(), u_resample), False


def sampler(p, q, m, rng):
    envelope = to_m(m)
    apply = over(p, q)
    if any(apply(lambda a, b: a > 0.0 and (b == 0.0 or a / b > envelope))):
        raise ValueError("m is too small")
    chances = apply(lambda a, b: a / (envelope * b) if b else None)

    def attempt():
        x = sample_categorical(q, rng.random())
        return x if rng.random() < chances[x] else None

    return attempt


def rejection_sample(p, q, m, rng, max_tries=10000):
    attempt = sampler(p, q, m, rng)
    if max_tries < 1:
        raise ValueError("max_tries")
    for tries in range(1, max_tries + 1):
        if (x := attempt()) is not None:
            return x, tries
    raise RuntimeError("max_tries")
