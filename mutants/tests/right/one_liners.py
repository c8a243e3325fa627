"""As few lines as it takes."""

import itertools as it
import math
import operator

import numpy as np

from tinyllm.prob.categorical import as_distribution, sample_categorical

ZeroResidualError = type("ZeroResidualError", (ArithmeticError,), {})
fail = lambda error, words: (_ for _ in ()).throw(error(words))
pair = lambda p, q: list(zip(as_distribution("p", p).tolist(), as_distribution("q", q).tolist(), strict=True))
last = lambda values: [*it.accumulate(values)][-1]
gap = lambda rows: [max(0.0, a - b) for a, b in rows]
norm = lambda rows: (lambda z: [mass / z for mass in gap(rows)] if z else None)(last(gap(rows)))
index = lambda x: operator.index(x) if hasattr(x, "__index__") else fail(ValueError, "x")
ok = lambda p, q, u: 0 <= p < math.inf and 0 < q < math.inf and 0 <= u < 1
keep = lambda p, q, u: u < p / q if ok(p, q, u) else fail(ValueError, "accept")
fits = lambda rows, m: 1 <= m < math.inf and all(a == 0 or (b > 0 and a / b <= m) for a, b in rows)


def rejection_accept(p_x, q_x, u):
    return keep(float(p_x), float(q_x), float(u))


def acceptance_probability(p, q):
    return last(map(min, pair(p, q)))


def residual_distribution(p, q):
    return np.array(norm(rows := pair(p, q)) or [a for a, _ in rows])


def speculative_step(p, q, x, u_accept, u_resample):
    if not 0 <= (x := index(x)) < len(rows := pair(p, q)):
        raise ValueError("x")
    if rejection_accept(*rows[x], u_accept):
        return x, True
    return sample_categorical(norm(rows) or fail(ZeroResidualError, "z"), u_resample), False


def rejection_sample(p, q, m, rng, max_tries=10000):
    if not fits(rows := pair(p, q), m := float(m)) or max_tries < 1:
        raise ValueError("m")
    for tries in range(1, max_tries + 1):
        a, b = rows[x := sample_categorical([b for _, b in rows], rng.random())]
        if rng.random() < a / (m * b):
            return x, tries
    raise RuntimeError("max_tries")
