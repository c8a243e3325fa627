"""One immutable pair of distributions that knows its overlap and its residual; the five functions ask it."""

import operator
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tinyllm.prob.categorical import as_distribution, sample_categorical
from tinyllm.prob.uniforms import UniformSource


class ZeroResidualError(ArithmeticError):
    """A pair without residual was asked to replace a draft."""


@dataclass(frozen=True)
class Ratio:
    """A draft's target mass over its proposal mass, as the threshold that a uniform has to stay below."""

    value: float

    @classmethod
    def of(cls, p_x: float, q_x: float) -> Self:
        """Divide, once both masses are in range."""
        above, below = float(p_x), float(q_x)
        if not (0.0 <= above <= np.finfo(np.float64).max and 0.0 < below <= np.finfo(np.float64).max):
            raise ValueError(f"no ratio of p_x = {above!r} to q_x = {below!r}")
        return cls(above / below)

    def keeps(self, u: float) -> bool:
        """Return whether ``u`` is strictly below."""
        uniform = float(u)
        if 0.0 <= uniform < 1.0:
            return uniform < self.value
        raise ValueError(f"u = {uniform!r} is not in [0, 1)")


@dataclass(frozen=True)
class Pair:
    """Target and proposal over the same ids."""

    target: tuple[float, ...]
    proposal: tuple[float, ...]

    @classmethod
    def of(cls, p: ArrayLike, q: ArrayLike) -> Self:
        """Check both and take them over as tuples."""
        pair = cls(tuple(as_distribution("p", p).tolist()), tuple(as_distribution("q", q).tolist()))
        if len(pair.target) == len(pair.proposal):
            return pair
        raise ValueError(f"p and q have {len(pair.target)} and {len(pair.proposal)} ids")

    @cached_property
    def overlap(self) -> float:
        """The mass that keeping drafts supplies."""
        mass = 0.0
        for pair in zip(self.target, self.proposal, strict=True):
            mass += min(pair)
        return mass

    @cached_property
    def excess(self) -> tuple[float, ...]:
        """The mass that it does not: half of d + |d|, exact in binary, is d where d is positive, else 0."""
        differences = map(operator.sub, self.target, self.proposal)
        return tuple((difference + abs(difference)) / 2.0 for difference in differences)

    @cached_property
    def z(self) -> float:
        """The excess, added up from id 0."""
        mass = 0.0
        for entry in self.excess:
            mass += entry
        return mass

    @property
    def residual(self) -> tuple[float, ...]:
        """The excess over its sum, or the target itself where there is no excess."""
        return tuple(entry / self.z for entry in self.excess) if self.z else self.target

    def ratio(self, x: int) -> Ratio:
        """Return the ratio of a draft that the proposal can make."""
        try:
            draft = operator.index(x)
        except TypeError as error:
            raise ValueError(f"x = {x!r} is not an id") from error
        if not 0 <= draft < len(self.proposal):
            raise ValueError(f"x = {draft} is not one of {len(self.proposal)} ids")
        return Ratio.of(self.target[draft], self.proposal[draft])

    def covered_by(self, m: float) -> bool:
        """Return whether no ratio is above ``m``."""
        return all(q_i and p_i / q_i <= m for p_i, q_i in zip(self.target, self.proposal, strict=True) if p_i)


def rejection_accept(p_x: float, q_x: float, u: float) -> bool:
    """Ask the ratio."""
    return Ratio.of(p_x, q_x).keeps(u)


def acceptance_probability(p: ArrayLike, q: ArrayLike) -> float:
    """Ask for the overlap."""
    return Pair.of(p, q).overlap


def residual_distribution(p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]:
    """Ask for the residual."""
    return np.array(Pair.of(p, q).residual, dtype=np.float64)


def speculative_step(p: ArrayLike, q: ArrayLike, x: int, u_accept: float, u_resample: float) -> tuple[int, bool]:
    """Ask the draft's ratio, then perhaps the residual."""
    pair = Pair.of(p, q)
    ratio = pair.ratio(x)
    if ratio.keeps(u_accept):
        return operator.index(x), True
    if not pair.z:
        raise ZeroResidualError(f"x = {x} with ratio {ratio.value!r} does not stay at u = {u_accept!r}; Z is 0")
    return sample_categorical(pair.residual, u_resample), False


def rejection_sample(
    p: ArrayLike, q: ArrayLike, m: float, rng: UniformSource, max_tries: int = 10000
) -> tuple[int, int]:
    """Ask whether the envelope covers the pair, then propose."""
    pair, envelope = Pair.of(p, q), float(m)
    if not 1.0 <= envelope < float("inf") or not pair.covered_by(envelope):
        raise ValueError(f"m = {m!r} is no envelope of p over q")
    if not max_tries >= 1:
        raise ValueError(f"max_tries = {max_tries!r} leaves no try")
    tries = 1
    while True:
        x = sample_categorical(pair.proposal, rng.random())
        if rng.random() < pair.target[x] / (envelope * pair.proposal[x]):
            return x, tries
        if tries >= max_tries:
            raise RuntimeError(f"all {max_tries} proposals rejected")
        tries += 1
