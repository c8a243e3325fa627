"""Small records with names; what comes out is plain."""

import math
import operator
from collections import namedtuple
from typing import NamedTuple

import numpy as np

from tinyllm.prob.categorical import as_distribution, sample_categorical


class ZeroResidualError(ArithmeticError):
    pass


Row = namedtuple("Row", "target proposal")
Residual = namedtuple("Residual", "masses total")


class Draft(NamedTuple):
    id: int
    row: Row


class Decision(NamedTuple):
    id: int
    kept: bool


def table(p, q):
    p, q = as_distribution("p", p), as_distribution("q", q)
    if p.size != q.size:
        raise ValueError("sizes")
    return [Row(*row) for row in zip(p.tolist(), q.tolist(), strict=True)]


def residual_of(rows):
    masses = tuple(row.target - row.proposal if row.target > row.proposal else 0.0 for row in rows)
    total = 0.0
    for mass in masses:
        total += mass
    return Residual(masses, total)


def rejection_accept(p_x, q_x, u):
    row = Row(float(p_x), float(q_x))
    u = float(u)
    if not math.isfinite(row.target) or not math.isfinite(row.proposal) or row.target < 0.0 or row.proposal <= 0.0:
        raise ValueError(f"{row}")
    if not 0.0 <= u < 1.0:
        raise ValueError(f"{u}")
    return u < row.target / row.proposal


def acceptance_probability(p, q):
    total = 0.0
    for row in table(p, q):
        total += min(row)
    return total


def residual_distribution(p, q):
    rows = table(p, q)
    residual = residual_of(rows)
    if residual.total == 0.0:
        return np.array([row.target for row in rows])
    return np.array([mass / residual.total for mass in residual.masses])


def decide(rows, draft, u_accept, u_resample):
    if rejection_accept(draft.row.target, draft.row.proposal, u_accept):
        return Decision(draft.id, kept=True)
    residual = residual_of(rows)
    if residual.total == 0.0:
        raise ZeroResidualError(f"{draft}")
    masses = [mass / residual.total for mass in residual.masses]
    return Decision(sample_categorical(masses, u_resample), kept=False)


def speculative_step(p, q, x, u_accept, u_resample):
    rows = table(p, q)
    try:
        number = operator.index(x)
    except TypeError as error:
        raise ValueError(f"{x!r}") from error
    if number < 0 or number >= len(rows):
        raise ValueError(f"{number}")
    return tuple(decide(rows, Draft(number, rows[number]), u_accept, u_resample))


def rejection_sample(p, q, m, rng, max_tries=10000):
    rows, m = table(p, q), float(m)
    if not math.isfinite(m) or m < 1.0 or max_tries < 1:
        raise ValueError(f"{m}, {max_tries}")
    for row in rows:
        if row.target > 0.0 and (row.proposal == 0.0 or row.target / row.proposal > m):
            raise ValueError(f"{m} is too small for {row}")
    for tries in range(1, max_tries + 1):
        number = sample_categorical([row.proposal for row in rows], rng.random())
        row = rows[number]
        if rng.random() < row.target / (m * row.proposal):
            return number, tries
    raise RuntimeError(f"{max_tries}")
