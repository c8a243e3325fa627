"""A Distribution, a Pair of them, a Uniform: each checks itself when it is made."""

import math
import operator

import numpy as np

from tinyllm.prob import categorical


class ZeroResidualError(ArithmeticError):
    """There is no residual."""


class Uniform:
    def __init__(self, value):
        self.value = float(value)
        if not 0.0 <= self.value < 1.0:
            raise ValueError(f"{value} is no uniform")

    def __lt__(self, ratio):
        return self.value < ratio


class Distribution:
    def __init__(self, name, masses):
        self.masses = categorical.as_distribution(name, masses).tolist()

    def __len__(self):
        return len(self.masses)

    def __getitem__(self, index):
        return self.masses[index]

    def __iter__(self):
        return iter(self.masses)

    def draw(self, u):
        return categorical.sample_categorical(self.masses, u)

    def array(self):
        return np.array(self.masses)


class Pair:
    def __init__(self, p, q):
        self.p, self.q = Distribution("p", p), Distribution("q", q)
        if len(self.p) != len(self.q):
            raise ValueError("two vocabularies")

    def __iter__(self):
        return zip(self.p, self.q, strict=True)

    def overlap(self):
        total = 0.0
        for p_i, q_i in self:
            total += min(p_i, q_i)
        return total

    def excess(self):
        self.total, masses = 0.0, []
        for p_i, q_i in self:
            masses.append(max(0.0, p_i - q_i))
            self.total += masses[-1]
        return masses

    def residual(self):
        masses = self.excess()
        return self.p.array() if self.total == 0.0 else np.array([mass / self.total for mass in masses])


class Ratio:
    def __init__(self, p_x, q_x):
        p_x, q_x = float(p_x), float(q_x)
        if not (math.isfinite(p_x) and math.isfinite(q_x)) or p_x < 0 or q_x <= 0:
            raise ValueError(f"{p_x} / {q_x}")
        self.value = p_x / q_x


class Sampler:
    def __init__(self, pair, m):
        self.pair, self.m = pair, float(m)
        if not math.isfinite(self.m) or self.m < 1:
            raise ValueError(f"m = {m}")
        for p_i, q_i in pair:
            if p_i and (not q_i or p_i / q_i > self.m):
                raise ValueError(f"m = {m} is too small")

    def attempt(self, rng):
        x = self.pair.q.draw(rng.random())
        return x if rng.random() < self.pair.p[x] / (self.m * self.pair.q[x]) else None


def rejection_accept(p_x, q_x, u):
    return Uniform(u) < Ratio(p_x, q_x).value


def acceptance_probability(p, q):
    return Pair(p, q).overlap()


def residual_distribution(p, q):
    return Pair(p, q).residual()


def speculative_step(p, q, x, u_accept, u_resample):
    pair = Pair(p, q)
    try:
        x = operator.index(x)
    except TypeError:
        raise ValueError("no id") from None
    if not 0 <= x < len(pair.p):
        raise ValueError("no such id")
    if rejection_accept(pair.p[x], pair.q[x], u_accept):
        return x, True
    residual = pair.residual()
    if pair.total == 0.0:
        raise ZeroResidualError
    return Distribution("residual", residual).draw(u_resample), False


def rejection_sample(p, q, m, rng, max_tries=10000):
    sampler = Sampler(Pair(p, q), m)
    if max_tries < 1:
        raise ValueError("max_tries")
    for tries in range(max_tries):
        x = sampler.attempt(rng)
        if x is not None:
            return x, tries + 1
    raise RuntimeError("gave up")
