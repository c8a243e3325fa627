"""The five functions are methods of one object, and the module's names are bound to it; no function stands alone."""

import operator
from collections.abc import Sequence
from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tinyllm.prob.categorical import as_distribution, sample_categorical
from tinyllm.prob.uniforms import UniformSource


class ZeroResidualError(ArithmeticError):
    """Nothing is left to resample from."""


class Sampler:
    """Rejection with a chosen draw from the residual; the module uses the inverse CDF."""

    def __init__(self) -> None:
        self.draw = sample_categorical

    def rejection_accept(self, p_x: float, q_x: float, u: float) -> bool:
        """Test a draft."""
        p_x, q_x, u = map(float, (p_x, q_x, u))
        for value, usable in ((p_x, 0.0 <= p_x < inf), (q_x, 0.0 < q_x < inf), (u, 0.0 <= u < 1.0)):
            if not usable:
                raise ValueError(f"{value!r} is out of range")
        return self._below(u, p_x, q_x)

    def acceptance_probability(self, p: ArrayLike, q: ArrayLike) -> float:
        """Measure the overlap."""
        alpha = 0.0
        for masses in self._zipped(p, q):
            alpha += sorted(masses)[0]
        return alpha

    def residual_distribution(self, p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]:
        """Normalize what is missing."""
        rows = self._zipped(p, q)
        residual = self._residual(rows)
        return np.fromiter((row[0] for row in rows) if residual is None else residual, np.float64, len(rows))

    def speculative_step(
        self, p: ArrayLike, q: ArrayLike, x: int, u_accept: float, u_resample: float
    ) -> tuple[int, bool]:
        """Keep or replace a draft."""
        rows = self._zipped(p, q)
        ids = range(len(rows))
        try:
            draft = ids.index(operator.index(x))
        except TypeError as error:
            raise ValueError(f"{x!r} is no id") from error
        kept = self.rejection_accept(*rows[draft], u_accept)
        return (draft if kept else self._replacement(rows, u_resample)), kept

    def rejection_sample(
        self, p: ArrayLike, q: ArrayLike, m: float, rng: UniformSource, max_tries: int = 10000
    ) -> tuple[int, int]:
        """Propose and test until a proposal passes."""
        rows, m = self._zipped(p, q), float(m)
        if m < 1.0 or not m < inf or max_tries < 1:
            raise ValueError(f"m = {m!r}, max_tries = {max_tries!r}: 1 at least, and m finite")
        if max(self._ratio(*row) for row in rows) > m:
            raise ValueError(f"{m!r} is below the largest ratio")
        proposal = [row[1] for row in rows]
        for tries in range(1, max_tries + 1):
            x = self.draw(proposal, rng.random())
            p_x, q_x = rows[x]
            if self._below(rng.random(), p_x, m * q_x):
                return x, tries
        raise RuntimeError(f"no proposal passed in {max_tries}")

    def _replacement(self, rows: Sequence[tuple[float, float]], u: float) -> int:
        residual = self._residual(rows)
        if residual is None:
            raise ZeroResidualError("a draft is rejected where no id has more mass in p than in q")
        return self.draw(residual, u)

    @staticmethod
    def _zipped(p: ArrayLike, q: ArrayLike) -> list[tuple[float, float]]:
        """Return target and proposal mass, one row an id."""
        return list(zip(as_distribution("p", p).tolist(), as_distribution("q", q).tolist(), strict=True))

    @staticmethod
    def _below(u: float, above: float, below: float) -> bool:
        return u < above / below

    @staticmethod
    def _ratio(p_x: float, q_x: float) -> float:
        """Return the ratio that an envelope has to cover: 0 where the target has nothing, infinite where ``q`` has."""
        if p_x == 0.0:
            return 0.0
        return p_x / q_x if q_x else inf

    @staticmethod
    def _residual(rows: Sequence[tuple[float, float]]) -> list[float] | None:
        z = 0.0
        for p_x, q_x in rows:
            if p_x > q_x:
                z += p_x - q_x
        return [(p_x - q_x) / z if p_x > q_x else 0.0 for p_x, q_x in rows] if z else None


_sampler = Sampler()
rejection_accept = _sampler.rejection_accept
acceptance_probability = _sampler.acceptance_probability
residual_distribution = _sampler.residual_distribution
speculative_step = _sampler.speculative_step
rejection_sample = _sampler.rejection_sample
