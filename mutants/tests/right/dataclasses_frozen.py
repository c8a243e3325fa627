"""Frozen dataclasses that check themselves after they are made."""

import math
import operator
from dataclasses import dataclass, field

import numpy as np

from tinyllm.prob.categorical import as_distribution, sample_categorical


class ZeroResidualError(ArithmeticError):
    pass


@dataclass(frozen=True)
class Question:
    p_x: float
    q_x: float
    u: float

    def __post_init__(self):
        for name in ("p_x", "q_x", "u"):
            object.__setattr__(self, name, float(getattr(self, name)))
        if not 0.0 <= self.p_x < math.inf or not 0.0 < self.q_x < math.inf or not 0.0 <= self.u < 1.0:
            raise ValueError(repr(self))

    @property
    def answer(self):
        return self.u < self.p_x / self.q_x


@dataclass(frozen=True)
class Pair:
    p: np.ndarray
    q: np.ndarray
    excess: tuple = field(init=False)
    z: float = field(init=False, default=0.0)
    alpha: float = field(init=False, default=0.0)

    def __post_init__(self):
        object.__setattr__(self, "p", as_distribution("p", self.p))
        object.__setattr__(self, "q", as_distribution("q", self.q))
        if self.p.size != self.q.size:
            raise ValueError("p and q do not match")
        rows = tuple(zip(self.p.tolist(), self.q.tolist(), strict=True))
        object.__setattr__(self, "excess", tuple(max(0.0, a - b) for a, b in rows))
        for name, masses in (("z", self.excess), ("alpha", (min(row) for row in rows))):
            for mass in masses:
                object.__setattr__(self, name, getattr(self, name) + mass)

    @property
    def residual(self):
        return np.array([mass / self.z for mass in self.excess]) if self.z else np.array(self.p)


def rejection_accept(p_x, q_x, u):
    return Question(p_x, q_x, u).answer


def acceptance_probability(p, q):
    return Pair(p, q).alpha


def residual_distribution(p, q):
    return Pair(p, q).residual


def speculative_step(p, q, x, u_accept, u_resample):
    pair = Pair(p, q)
    try:
        draft = operator.index(x)
    except TypeError as error:
        raise ValueError("x") from error
    if not 0 <= draft < pair.p.size:
        raise ValueError("x")
    if Question(pair.p[draft], pair.q[draft], u_accept).answer:
        return draft, True
    if not pair.z:
        raise ZeroResidualError(repr(pair))
    return sample_categorical(pair.residual, u_resample), False


@dataclass
class Sampler:
    pair: Pair
    m: float
    tries: int = 0

    def __post_init__(self):
        self.m = float(self.m)
        if not 1.0 <= self.m < math.inf:
            raise ValueError("m")
        for p_i, q_i in zip(self.pair.p.tolist(), self.pair.q.tolist(), strict=True):
            if p_i > 0.0 and (q_i == 0.0 or p_i / q_i > self.m):
                raise ValueError("m")

    def draw(self, rng):
        self.tries += 1
        x = sample_categorical(self.pair.q, rng.random())
        return x, bool(rng.random() < float(self.pair.p[x]) / (self.m * float(self.pair.q[x])))


def rejection_sample(p, q, m, rng, max_tries=10000):
    sampler = Sampler(Pair(p, q), m)
    if max_tries < 1:
        raise ValueError("max_tries")
    while sampler.tries < max_tries:
        x, kept = sampler.draw(rng)
        if kept:
            return x, sampler.tries
    raise RuntimeError("max_tries")
