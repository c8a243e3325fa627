"""Every name has its type, down to the locals."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Final, Protocol, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt

from tinyllm.prob.categorical import as_distribution, sample_categorical

Vector: TypeAlias = npt.NDArray[np.float64]
Masses: TypeAlias = Sequence[float]
DEFAULT_TRIES: Final[int] = 10000


class Source(Protocol):
    def random(self) -> float: ...


class ZeroResidualError(ArithmeticError):
    x: int

    def __init__(self, x: int) -> None:
        super().__init__(f"no residual for {x}")
        self.x = x


def check_pair(p: npt.ArrayLike, q: npt.ArrayLike) -> tuple[Vector, Vector]:
    first: Vector = as_distribution("p", p)
    second: Vector = as_distribution("q", q)
    if first.size != second.size:
        raise ValueError(f"{first.size} ids and {second.size} ids")
    return first, second


def ordered_sum(values: Masses) -> float:
    total: float = 0.0
    value: float
    for value in values:
        total = total + value
    return total


def excess_of(p: Vector, q: Vector) -> list[float]:
    return [max(0.0, p_i - q_i) for p_i, q_i in zip(p.tolist(), q.tolist(), strict=True)]


def rejection_accept(p_x: float, q_x: float, u: float) -> bool:
    target: float = float(p_x)
    proposal: float = float(q_x)
    uniform: float = float(u)
    valid: bool = 0.0 <= target < math.inf and 0.0 < proposal < math.inf and 0.0 <= uniform < 1.0
    if not valid:
        raise ValueError(f"{target=}, {proposal=}, {uniform=}")
    ratio: float = target / proposal
    return uniform < ratio


def acceptance_probability(p: npt.ArrayLike, q: npt.ArrayLike) -> float:
    first, second = check_pair(p, q)
    smaller: list[float] = [min(pair) for pair in zip(first.tolist(), second.tolist(), strict=True)]
    return ordered_sum(smaller)


def residual_distribution(p: npt.ArrayLike, q: npt.ArrayLike) -> Vector:
    first, second = check_pair(p, q)
    excess: list[float] = excess_of(first, second)
    z: float = ordered_sum(excess)
    result: Vector = first.copy() if z == 0.0 else np.asarray([mass / z for mass in excess], dtype=np.float64)
    return result


def speculative_step(
    p: npt.ArrayLike, q: npt.ArrayLike, x: SupportsIndex, u_accept: float, u_resample: float
) -> tuple[int, bool]:
    first, second = check_pair(p, q)
    try:
        draft: int = operator.index(x)
    except TypeError as error:
        raise ValueError(f"{x!r} is no id") from error
    if draft not in range(first.size):
        raise ValueError(f"{draft} is no id")
    if rejection_accept(float(first[draft]), float(second[draft]), u_accept):
        return draft, True
    if ordered_sum(excess_of(first, second)) == 0.0:
        raise ZeroResidualError(draft)
    replacement: int = sample_categorical(residual_distribution(first, second), u_resample)
    return replacement, False


def rejection_sample(
    p: npt.ArrayLike, q: npt.ArrayLike, m: float, rng: Source, max_tries: int = DEFAULT_TRIES
) -> tuple[int, int]:
    first, second = check_pair(p, q)
    envelope: float = float(m)
    if not (1.0 <= envelope < math.inf):
        raise ValueError(f"{envelope=}")
    if max_tries < 1:
        raise ValueError(f"{max_tries=}")
    p_i: float
    q_i: float
    for p_i, q_i in zip(first.tolist(), second.tolist(), strict=True):
        if p_i > 0.0 and (q_i == 0.0 or p_i / q_i > envelope):
            raise ValueError(f"{envelope=} is too small")
    tries: int
    for tries in range(1, max_tries + 1):
        x: int = sample_categorical(second, rng.random())
        threshold: float = float(first[x]) / (envelope * float(second[x]))
        if rng.random() < threshold:
            return x, tries
    raise RuntimeError(f"{max_tries} tries were not enough")
