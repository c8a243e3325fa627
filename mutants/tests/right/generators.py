"""Everything flows: generators that yield, and accumulate to add up."""

import itertools
import math
import operator

import numpy as np

from tinyllm.prob.categorical import as_distribution, sample_categorical


class ZeroResidualError(ArithmeticError):
    pass


def pairs(p, q):
    p, q = as_distribution("p", p), as_distribution("q", q)
    if len(p) != len(q):
        raise ValueError("lengths differ")
    yield from zip(p.tolist(), q.tolist(), strict=True)


def last(values):
    for value in values:  # noqa: B007
        pass
    return value


def common(p, q):
    for a, b in pairs(p, q):
        yield a if a < b else b


def excess(p, q):
    for a, b in pairs(p, q):
        yield a - b if a > b else 0.0


def rejection_accept(p_x, q_x, u):
    numbers = (float(number) for number in (p_x, q_x, u))
    p_x, q_x, u = (number for number in numbers)
    if not all((math.isfinite(p_x), p_x >= 0.0, math.isfinite(q_x), q_x > 0.0, 0.0 <= u < 1.0)):
        raise ValueError("out of range")
    return u < p_x / q_x


def acceptance_probability(p, q):
    return last(itertools.accumulate(common(p, q)))


def residual_distribution(p, q):
    z = last(itertools.accumulate(excess(p, q)))
    masses = (a for a, _ in pairs(p, q)) if z == 0.0 else (mass / z for mass in excess(p, q))
    return np.fromiter(masses, dtype=np.float64)


def speculative_step(p, q, x, u_accept, u_resample):
    both = list(pairs(p, q))
    if not hasattr(x, "__index__"):
        raise ValueError("x is no integer")
    x = operator.index(x)
    found = next((pair for number, pair in enumerate(both) if number == x), None)
    if found is None or found[1] == 0.0:
        raise ValueError("x cannot have been drawn")
    if rejection_accept(*found, u_accept):
        return x, True
    if not any(a > b for a, b in both) or last(itertools.accumulate(excess(p, q))) == 0.0:
        raise ZeroResidualError
    return sample_categorical(residual_distribution(p, q), u_resample), False


def rejection_sample(p, q, m, rng, max_tries=10000):
    both, m = list(pairs(p, q)), float(m)
    if not 1.0 <= m < math.inf or max_tries < 1:
        raise ValueError("m or max_tries")
    if any(a > 0.0 and (b == 0.0 or a / b > m) for a, b in both):
        raise ValueError("the envelope is too small")

    def proposals():
        for tries in range(1, max_tries + 1):
            x = sample_categorical([b for _, b in both], rng.random())
            a, b = both[x]
            if rng.random() < a / (m * b):
                yield x, tries

    for answer in proposals():
        return answer
    raise RuntimeError("no proposal was kept")
