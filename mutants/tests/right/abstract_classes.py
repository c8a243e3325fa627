"""Abstract steps with concrete ones below, and the functions at the end only start them."""

import abc
import math
import operator

import numpy as np

from tinyllm.prob.categorical import as_distribution, sample_categorical


class ZeroResidualError(ArithmeticError):
    def __str__(self):
        return "no residual"


class Check(abc.ABC):
    @abc.abstractmethod
    def holds(self, value): ...

    def __call__(self, value):
        if not self.holds(value := float(value)):
            raise ValueError(f"{type(self).__name__}: {value}")
        return value


class Finite(Check):
    least = 0.0

    def holds(self, value):
        return self.least <= value < math.inf


class Positive(Finite):
    def holds(self, value):
        return super().holds(value) and value > 0.0


class Uniform(Finite):
    def holds(self, value):
        return super().holds(value) and value < 1.0


class Envelope(Finite):
    least = 1.0


class OnPairs(abc.ABC):
    def __init__(self, p, q):
        self.p, self.q = as_distribution("p", p).tolist(), as_distribution("q", q).tolist()
        if len(self.p) != len(self.q):
            raise ValueError("lengths")

    @property
    def rows(self):
        return zip(self.p, self.q, strict=True)

    @abc.abstractmethod
    def term(self, p_i, q_i): ...

    @property
    def terms(self):
        return [self.term(*row) for row in self.rows]

    @property
    def total(self):
        total = 0.0
        for term in self.terms:
            total += term
        return total


class Overlap(OnPairs):
    def term(self, p_i, q_i):
        return min(p_i, q_i)


class Residual(OnPairs):
    def term(self, p_i, q_i):
        return max(0.0, p_i - q_i)

    @property
    def array(self):
        total = self.total
        return np.array([term / total for term in self.terms] if total else self.p)


class Step(Residual):
    def __init__(self, p, q, x):
        super().__init__(p, q)
        try:
            self.x = operator.index(x)
        except TypeError as error:
            raise ValueError("x") from error
        if self.x not in range(len(self.p)):
            raise ValueError("x")

    def take(self, u_accept, u_resample):
        if rejection_accept(self.p[self.x], self.q[self.x], u_accept):
            return self.x, True
        if not self.total:
            raise ZeroResidualError
        return sample_categorical(self.array, u_resample), False


class Sampler(Residual):
    def __init__(self, p, q, m):
        super().__init__(p, q)
        self.m = Envelope()(m)
        if any(p_i > 0.0 and (q_i == 0.0 or p_i / q_i > self.m) for p_i, q_i in self.rows):
            raise ValueError("m")

    def take(self, rng):
        x = sample_categorical(self.q, rng.random())
        return x, rng.random() < self.p[x] / (self.m * self.q[x])


def rejection_accept(p_x, q_x, u):
    p_x, q_x, u = Finite()(p_x), Positive()(q_x), Uniform()(u)
    return u < p_x / q_x


def acceptance_probability(p, q):
    return Overlap(p, q).total


def residual_distribution(p, q):
    return Residual(p, q).array


def speculative_step(p, q, x, u_accept, u_resample):
    return Step(p, q, x).take(u_accept, u_resample)


def rejection_sample(p, q, m, rng, max_tries=10000):
    sampler = Sampler(p, q, m)
    if max_tries < 1:
        raise ValueError("max_tries")
    for tries in range(1, max_tries + 1):
        x, kept = sampler.take(rng)
        if kept:
            return x, tries
    raise RuntimeError("max_tries")
