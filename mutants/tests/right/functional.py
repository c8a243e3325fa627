"""reduce, map and partial; no statement is repeated."""

import math
import operator
from functools import partial, reduce
from itertools import starmap

import numpy as np

from tinyllm.prob.categorical import as_distribution, sample_categorical


class ZeroResidualError(ArithmeticError):
    pass


total = partial(reduce, operator.add)


def pair(p, q):
    vectors = tuple(starmap(as_distribution, (("p", p), ("q", q))))
    lists = tuple(map(np.ndarray.tolist, vectors))
    if operator.ne(*map(len, lists)):
        raise ValueError("different lengths")
    return lists


def excess(p, q):
    return list(map(partial(max, 0.0), map(operator.sub, p, q)))


def rejection_accept(p_x, q_x, u):
    p_x, q_x, u = map(float, (p_x, q_x, u))
    if not (all(map(math.isfinite, (p_x, q_x))) and p_x >= 0 < q_x and 0 <= u < 1):
        raise ValueError("not a question")
    return operator.lt(u, operator.truediv(p_x, q_x))


def acceptance_probability(p, q):
    return total(map(min, *pair(p, q)), 0.0)


def residual_distribution(p, q):
    p, q = pair(p, q)
    masses = excess(p, q)
    z = total(masses, 0.0)
    return np.array(list(map(lambda mass: mass / z, masses)) if z else p)  # noqa: C417


def speculative_step(p, q, x, u_accept, u_resample):
    p, q = pair(p, q)
    try:
        x = operator.index(x)
    except TypeError as error:
        raise ValueError("not an id") from error
    if x not in range(len(p)):
        raise ValueError("not an id here")
    p_x, q_x = map(operator.itemgetter(x), (p, q))
    if rejection_accept(p_x, q_x, u_accept):
        return x, True
    if not total(excess(p, q), 0.0):
        raise ZeroResidualError("nothing is left")
    return sample_categorical(residual_distribution(p, q), u_resample), False


def rejection_sample(p, q, m, rng, max_tries=10000):
    p, q = pair(p, q)
    m = float(m)
    too_large = starmap(lambda a, b: a > 0 and (b == 0 or a / b > m), zip(p, q, strict=True))
    if not 1 <= m < math.inf or max_tries < 1 or any(too_large):
        raise ValueError("not an envelope")

    def attempt(_):
        x = sample_categorical(q, rng.random())
        return x, rng.random() < p[x] / (m * q[x])

    kept = ((x, tries) for tries, (x, is_kept) in enumerate(map(attempt, range(max_tries)), start=1) if is_kept)
    answer = next(kept, None)
    if answer is None:
        raise RuntimeError("none was kept")
    return answer
