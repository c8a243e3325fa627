"""How far the output laws of an implementation lie from the right ones at one call, beside what rounding may do.

Begin with ``distances``.
"""

import itertools
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from acidtest.properties.call import BELOW_ONE, Call, alive, envelope, running_sums
from acidtest.properties.dist import Dist, exact, normalize, total_variation
from acidtest.properties.laws import (
    DISCRETE,
    MIDPOINTS,
    TRY_MIDPOINTS,
    Lattice,
    step_bound,
    step_law,
    try_bound,
    try_law,
)
from acidtest.properties.places import Law, Lookup, eighths, outcome, right
from acidtest.properties.rectangles import Rectangle, UndecidedError, measure
from acidtest.properties.sources import ScriptedSource

_E = Fraction(1, 2**53)


@dataclass(frozen=True)
class Distance:
    """A distance from the right law, what rounding explains of it, and where it was measured."""

    distance: Fraction
    bound: Fraction
    what: str
    call: Call


def distances(mutant: Lookup, call: Call) -> Iterator[Distance]:
    """Yield the distances of a mutant's laws from the right ones, at the place of one call."""
    try:
        if call.function == "speculative_step":
            yield _step(mutant("speculative_step"), call)
        elif call.function == "rejection_sample":
            yield from _tries(mutant("rejection_sample"), call)
        elif call.function == "sample_categorical":
            yield _categorical(mutant("sample_categorical"), call)
        elif call.function == "rejection_accept":
            yield _accept(mutant("rejection_accept"), call)
        elif call.function == "acceptance_probability":
            yield from _alpha(mutant("acceptance_probability"), call)
    except UndecidedError:
        return


def ids_law(step: Callable[..., Any], call: Call, lattice: Lattice, part: Callable[[Any], Hashable]) -> Law:
    """Return the law of a part of a step's answer, over a lattice of uniforms."""
    return step_law(outcome(step, part), call.args["p"], call.args["q"], lattice)  # type: ignore[return-value]


def _step(step: Callable[..., Any], call: Call) -> Distance:
    p, q = call.args["p"], call.args["q"]
    grid = eighths(p, q)
    law = ids_law(step, call, MIDPOINTS if grid else DISCRETE, lambda answer: answer[0])
    bound = Fraction(0) if grid else len(p) * (step_bound(len(p)) / 2 + 2 * _E)
    return Distance(total_variation(law, right(p)), bound, "the law of the output", call)


def _tries(sampler: Callable[..., Any], call: Call) -> Iterator[Distance]:
    """Yield the law of a first try, and of a second after each proposal that can be refused, given that it is kept."""
    p, q = call.args["p"], call.args["q"]
    m = envelope(p, q)
    if m is None or m < 1.0:
        return
    grid = eighths(p, q)
    sums = running_sums(q)
    middles = {x: (sums[x] + (sums[x - 1] if x else 0.0)) / 2 for x, mass in enumerate(q) if mass > 0.0}
    refused = [middle for x, middle in middles.items() if middle < min(sums[x], 1.0) and p[x] / (m * q[x]) <= BELOW_ONE]
    bound = Fraction(0) if grid else Fraction(m) * len(p) * (try_bound(len(p)) + 2 * _E)
    for before in ([], *([proposal, BELOW_ONE] for proposal in refused[:3])):
        law = try_law(_one_try(sampler, before), p, q, m, TRY_MIDPOINTS if grid else DISCRETE)
        kept: Dist[Any] = law.given(lambda outcome: outcome is not None) if law.get(None) != 1 else Dist({"none": 1})
        what = "the law of the ids that are kept" + (" after a refused proposal" if before else "")
        yield Distance(total_variation(kept, right(p)), bound, what, call)


def _one_try(sampler: Callable[..., Any], before: Sequence[float]) -> Any:
    """Return the sampler's last try, after a script that is refused; errors other than its giving up are outcomes."""

    def one_try(p: Any, q: Any, m: float, rng: ScriptedSource, max_tries: int) -> tuple[Hashable, int]:
        script = [*before, rng.random(), rng.random()]
        try:
            found = sampler(p, q, m, ScriptedSource(script), max_tries=max_tries + len(before) // 2)[0]
            hash(found)
        except RuntimeError:
            raise
        except Exception as error:  # as above
            return f"raises {type(error).__name__}", 0
        return found, 0

    return one_try


def shares_of(decide: Callable[[float], Any], cuts: Sequence[float]) -> dict[Hashable, int]:
    """Return how many of the 2**53 uniforms give each answer, starting from the given cuts."""
    edges = sorted({0, DISCRETE.size, *(min(DISCRETE.below(cut), DISCRETE.size) for cut in cuts)})
    cells = [Rectangle(a, b - 1, 0, 0) for a, b in itertools.pairwise(edges) if a < b]
    return measure(lambda k, _: decide(DISCRETE.uniform(k)), cells)


def _categorical(draw: Callable[..., Any], call: Call) -> Distance:
    p = call.args["p"]
    decide = outcome(draw, lambda answer: answer)
    law: Law = normalize(shares_of(lambda u: decide(np.array(p), u), running_sums(p)))
    return Distance(total_variation(law, right(p)), len(p) * (len(p) + 3) * _E, "the law of the ids drawn", call)


def _accept(accept: Callable[..., Any], call: Call) -> Distance:
    p_x, q_x = alive("p_x", call.args["p_x"]), alive("q_x", call.args["q_x"])
    ratio = min(Fraction(1), Fraction(p_x) / Fraction(q_x))
    decide = outcome(accept, bool)
    shares = shares_of(lambda u: decide(p_x, q_x, u), [p_x / q_x])
    law: Law = normalize(shares)
    right: Law = Dist({True: ratio, False: 1 - ratio})
    return Distance(total_variation(law, right), 2 * _E, "the share kept", call)


def _alpha(alpha: Callable[..., Any], call: Call) -> Iterator[Distance]:
    p, q = call.args["p"], call.args["q"]
    try:
        found = Fraction(float(alpha(np.array(p), np.array(q))))
    except Exception:  # no number: the words for it are found elsewhere
        return
    right = sum(map(min, exact(p), exact(q)), Fraction(0))
    yield Distance(abs(found - right), (len(p) + 1) * _E, "the acceptance probability", call)
