"""The exact output law of an implementation, found by calling it: no sampling, no look inside.

A step is a function of two uniforms. ``rectangles.measure`` finds where on their square it gives which answer; here
stand the squares to ask on, the cuts to start from, and, as the second road to the same numbers, the paper's formulas.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from acidtest.properties.bulk import ahead
from acidtest.properties.dist import Dist, exact, mix, normalize
from acidtest.properties.rectangles import Rectangle, first_points, measure
from acidtest.properties.sources import ScriptedSource

Vector = Sequence[float] | NDArray[np.float64]
Step = Callable[[NDArray[np.float64], NDArray[np.float64], int, float, float], tuple[int, bool]]


class Sampler(Protocol):
    """``rejection_sample``, or whatever claims to be it."""

    def __call__(
        self, p: NDArray[np.float64], q: NDArray[np.float64], m: float, rng: ScriptedSource, max_tries: int
    ) -> tuple[int, int]: ...


@dataclass(frozen=True)
class Lattice:
    """The uniforms ``(k + offset) / size`` for k in [0, size), each as likely as any other."""

    size: int
    offset: Fraction

    def uniform(self, k: int) -> float:
        """Return the k-th uniform, correctly rounded."""
        scale = self.offset.denominator
        return (k * scale + self.offset.numerator) / (self.size * scale)

    def below(self, bound: float | Fraction) -> int:
        """Return how many of the uniforms are strictly below ``bound``."""
        if bound >= 1:
            return self.size
        above, below = bound.as_integer_ratio()
        scale = self.offset.denominator
        return max(0, -((self.offset.numerator * below - above * self.size * scale) // (scale * below)))


MIDPOINTS = Lattice(840, Fraction(1, 2))
"""The law of the mathematics on eighths: 840 = lcm(1..8), so every ratio of two eighths and every step of a residual's
CDF is a multiple of 1/840 and lies between two midpoints. Counting midpoints then measures each interval exactly."""

TRY_MIDPOINTS = Lattice(840**2, Fraction(1, 2))
"""The same for one try whose envelope is a ratio of eighths: p_x / (m * q_x) is then a multiple of 1/840**2."""

DISCRETE = Lattice(2**53, Fraction(0))
"""The uniforms that a generator of 53 bits hands out."""


def step_law(step: Step, p: Vector, q: Vector, lattice: Lattice) -> Dist[tuple[int, bool]]:
    """Return the law of ``(id, kept)`` where x is drawn from ``q`` (as exact rationals, normalized) and then stepped.

    Raises:
        UndecidedError: the answer is not constant on rectangles of (u, u').
        Exception: whatever the implementation raises.
    """
    proposal = normalize(dict(enumerate(exact(q))))
    return mix(zip(proposal.values(), _draft_laws(step, p, q, list(proposal), lattice), strict=True))


def draft_law(step: Step, p: Vector, q: Vector, x: int, lattice: Lattice) -> Dist[tuple[int, bool]]:
    """Return the law of ``(id, kept)`` for the draft x alone; starts from the reference's breakpoints."""
    (law,) = _draft_laws(step, p, q, [x], lattice)
    return law


def _draft_laws(
    step: Step, p: Vector, q: Vector, drafts: Sequence[int], lattice: Lattice
) -> Iterator[Dist[tuple[int, bool]]]:
    """Yield the law of each draft. What a right step is asked for all of them is asked at once, if that is quicker."""
    target, proposal = np.array(p, dtype=np.float64), np.array(q, dtype=np.float64)
    ps, qs = target.tolist(), proposal.tolist()
    replacements = [(low, high) for low, high, _ in _intervals(lattice, float_residual(ps, qs))]
    cells = {x: _step_cells(lattice, lattice.below(ps[x] / qs[x]), replacements) for x in drafts}
    points = [(x, k, j) for x in drafts for k, j in dict.fromkeys(itertools.chain(*map(first_points, cells[x])))]
    answers = ahead(step, ((target, proposal, x, lattice.uniform(k), lattice.uniform(j)) for x, k, j in points))
    known = dict(zip(points, answers or (), strict=answers is not None))
    for x in drafts:

        def decide(k: int, j: int, x: int = x) -> tuple[int, bool]:
            if (x, k, j) in known:
                return known[x, k, j]
            return step(target.copy(), proposal.copy(), x, lattice.uniform(k), lattice.uniform(j))

        yield normalize(measure(decide, cells[x]))


def _step_cells(lattice: Lattice, kept: int, replacements: Sequence[tuple[int, int]]) -> list[Rectangle]:
    """Return where a right step has one answer: ``kept`` of the first uniforms keep, the others replace."""
    end = lattice.size - 1
    cells = [Rectangle(0, kept - 1, 0, end)] if kept else []
    return cells + [Rectangle(kept, end, low, high) for low, high in replacements if kept < lattice.size]


def try_law(sampler: Sampler, p: Vector, q: Vector, m: float, lattice: Lattice) -> Dist[int | None]:
    """Return the law of one try of von Neumann's sampler: the id that is kept, or None for a rejected proposal."""
    target, proposal = np.array(p, dtype=np.float64), np.array(q, dtype=np.float64)

    def decide(k: int, j: int) -> int | None:
        rng = ScriptedSource([lattice.uniform(k), lattice.uniform(j)])
        try:
            return sampler(target.copy(), proposal.copy(), m, rng, max_tries=1)[0]
        except RuntimeError:
            return None

    ps, qs, end = target.tolist(), proposal.tolist(), lattice.size - 1
    cells = []
    for low, high, x in _intervals(lattice, qs):
        kept = lattice.below(ps[x] / (m * qs[x]))
        cells += [Rectangle(low, high, a, b) for a, b in ((0, kept - 1), (kept, end)) if a <= b]
    return normalize(measure(decide, cells))


def _intervals(lattice: Lattice, probabilities: Sequence[float]) -> Iterator[tuple[int, int, int]]:
    """Yield (first, last, id): which uniforms draw which id, by running sums in float64."""
    positive = [index for index, mass in enumerate(probabilities) if mass > 0.0]
    running, low = 0.0, 0
    for index in positive:
        running += probabilities[index]
        high = lattice.size if index == positive[-1] else lattice.below(running)
        if low < high:
            yield low, high - 1, index
            low = high


def float_residual(p: Sequence[float], q: Sequence[float]) -> list[float]:
    """Return the residual in float64 as the contract defines it, bit for bit; ``p`` itself where no mass is missing."""
    excess = [max(0.0, a - b) for a, b in zip(p, q, strict=True)]
    z = ascending_sum(excess)
    return [mass / z for mass in excess] if z > 0.0 else list(p)


def inverse_cdf(p: Sequence[float], u: float) -> int:
    """Return the smallest id whose left-to-right running sum is above u, else the last one with mass."""
    for index, running in enumerate(itertools.accumulate(p)):
        if running > u:
            return index
    return max(index for index, mass in enumerate(p) if mass > 0.0)


def cdf_edges(p: Sequence[float]) -> list[float]:
    """Return the uniforms at each running sum and one float below it, with both ends of [0, 1)."""
    last = math.nextafter(1.0, 0.0)
    sums = [u for running in itertools.accumulate(p) for u in (running, math.nextafter(running, 0.0))]
    return [0.0, *dict.fromkeys(u for u in sums if 0.0 < u < last), last]


def ascending_sum(values: Sequence[float]) -> float:
    """Return the left-to-right float64 sum: one loop, one rounding an addition."""
    total = 0.0
    for value in values:
        total += value
    return total


# The paper's road: closed formulas in exact rationals, for vectors whose sums may be off 1 by rounding.


def kept_masses(p: Vector, q: Vector) -> tuple[Fraction, ...]:
    """Return ``min(p_i, q_i)``: for each id, the mass that is proposed and kept. Chapter section 2.3."""
    return tuple(min(a, b) for a, b in zip(exact(p), exact(q), strict=True))


def missing_masses(p: Vector, q: Vector) -> tuple[Fraction, ...]:
    """Return ``max(0, p_i - q_i)``: for each id, what kept drafts leave missing. Chapter section 2.3."""
    return tuple(max(Fraction(0), a - b) for a, b in zip(exact(p), exact(q), strict=True))


def paper_step_law(p: Vector, q: Vector) -> Dist[tuple[int, bool]]:
    """Return the law of ``(id, kept)`` in exact arithmetic: kept masses, then the rejected rest spread as the residual.

    Where ``q`` does not sum to exactly 1, x is drawn from ``q`` normalized. Chapter section 2.4.
    """
    kept, missing, proposed = kept_masses(p, q), missing_masses(p, q), sum(exact(q))
    rejected, z = proposed - sum(kept), sum(missing)
    if rejected and not z:
        raise ValueError("a draft can be rejected here, and p has no mass above q to replace it with")
    masses = {(index, True): mass / proposed for index, mass in enumerate(kept)}
    if rejected:
        masses |= {(index, False): rejected * mass / (z * proposed) for index, mass in enumerate(missing)}
    return Dist(masses)


def paper_try_law(p: Vector, q: Vector, m: Fraction) -> Dist[int | None]:
    """Return the law of one try in exact arithmetic: id x is kept with probability p_x / m. Chapter section 2.1."""
    proposed = sum(exact(q))
    masses: dict[int | None, Fraction] = {index: mass / (m * proposed) for index, mass in enumerate(exact(p))}
    return Dist(masses | {None: 1 - sum(masses.values())})


def residual_bound(n: int) -> Fraction:
    """Return how far a right residual entry of n may lie from its exact value, relative to that value.

    With e = 2**-53: the subtraction rounds once, the sum Z carries one rounding from its entries and n - 1 of its own,
    the division rounds once. That is (n + 2)e; one e more covers second orders.
    """
    return Fraction(n + 3, 2**53)


def step_bound(n: int) -> Fraction:
    """Return how far the discrete law of a right step may lie from ``paper_step_law``, for any one output id of n.

    With e = 2**-53: the ratio's rounding and the rounding up to a multiple of e move a kept mass by at most 2e. A
    residual entry carries n + 2 roundings relative to its size, a running sum n more, and the rounding up one: the
    cumulated mass is off by at most (2n + 4)e with the second order included, an id's share is the difference of two
    such, and the rejected mass that it is multiplied with is off by 2e. That is (4n + 12)e, and one e more covers the
    1e-9 by which the inputs' sums may miss 1.
    """
    return Fraction(4 * n + 13, 2**53)


def try_bound(n: int) -> Fraction:
    """Return how far the discrete law of a right try may lie from ``paper_try_law``, for any one id of n.

    With e = 2**-53: a running sum of q carries n roundings and one rounding up, an id's interval is the difference of
    two such, and the threshold p_x / (m * q_x) carries two roundings and one rounding up. That is (2n + 5)e; one e
    more covers second orders. The last id also takes what the sum of q misses of 1, at most n * e where q was
    normalized in float64: n * e more.
    """
    return Fraction(3 * n + 6, 2**53)
