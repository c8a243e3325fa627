"""Iterator classes with a memory: running sums that know where they stand."""

import math
import operator

import numpy as np

from tinyllm.prob.categorical import as_distribution


class ZeroResidualError(ArithmeticError):
    pass


class Rows:
    def __init__(self, p, q):
        self.p, self.q = as_distribution("p", p), as_distribution("q", q)
        if len(self.p) != len(self.q):
            raise ValueError("rows")

    def __iter__(self):
        return zip(map(float, self.p), map(float, self.q), strict=True)

    def __len__(self):
        return len(self.p)


class Running:
    """Yields running sums; afterwards ``total`` is the last of them."""

    def __init__(self, values):
        self.values = iter(values)
        self.total = 0.0

    def __iter__(self):
        return self

    def __next__(self):
        self.total += next(self.values)
        return self.total

    def exhaust(self):
        for _ in self:
            pass
        return self.total


class Tries:
    def __init__(self, rows, m, rng, most):
        self.rows, self.m, self.rng, self.left = rows, m, rng, most
        self.proposal = [b for _, b in rows]

    def __iter__(self):
        return self

    def __next__(self):
        if not self.left:
            raise StopIteration
        self.left -= 1
        x = pick(self.proposal, self.rng.random())
        return x, self.rng.random() < float(self.rows.p[x]) / (self.m * float(self.rows.q[x]))


def pick(masses, u):
    u = float(u)
    if not 0.0 <= u < 1.0:
        raise ValueError("u")
    for index, running in enumerate(Running(masses)):
        if running > u:
            return index
    return max(index for index, mass in enumerate(masses) if mass > 0.0)


def rejection_accept(p_x, q_x, u):
    p_x, q_x, u = float(p_x), float(q_x), float(u)
    if not (0.0 <= p_x < math.inf and 0.0 < q_x < math.inf and 0.0 <= u < 1.0):
        raise ValueError("accept")
    return u < p_x / q_x


def acceptance_probability(p, q):
    return Running(min(row) for row in Rows(p, q)).exhaust()


def excess(rows):
    return [max(0.0, a - b) for a, b in rows]


def residual_distribution(p, q):
    rows = Rows(p, q)
    z = Running(excess(rows)).exhaust()
    return rows.p.copy() if z == 0.0 else np.array([mass / z for mass in excess(rows)])


def speculative_step(p, q, x, u_accept, u_resample):
    rows = Rows(p, q)
    try:
        x = operator.index(x)
    except TypeError as error:
        raise ValueError("x") from error
    if not 0 <= x < len(rows):
        raise ValueError("x")
    if rejection_accept(rows.p[x], rows.q[x], u_accept):
        return x, True
    z = Running(excess(rows)).exhaust()
    if z == 0.0:
        raise ZeroResidualError("z")
    return pick([mass / z for mass in excess(rows)], u_resample), False


def rejection_sample(p, q, m, rng, max_tries=10000):
    rows, m = Rows(p, q), float(m)
    if not 1.0 <= m < math.inf or max_tries < 1:
        raise ValueError("m")
    if any(a > 0.0 and (b == 0.0 or a / b > m) for a, b in rows):
        raise ValueError("m")
    for tries, (x, kept) in enumerate(Tries(rows, m, rng, max_tries), start=1):
        if kept:
            return x, tries
    raise RuntimeError("max_tries")
