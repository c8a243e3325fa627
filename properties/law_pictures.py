"""Output laws to look at: for each id the mass that is kept at once and the mass that comes later, as exact fractions.

A right step keeps ``min(p_i, q_i)`` of each id and replaces rejected drafts by what is missing; the two add up to p.
A right sampler returns ``p_i / m`` of each id on its first try, and the rest later in the same proportions.
"""

import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral
from typing import Any

from acidtest.properties.call import BELOW_ONE, Call, envelope, running_sums
from acidtest.properties.dist import Dist, exact, total_variation
from acidtest.properties.laws import DISCRETE, MIDPOINTS, TRY_MIDPOINTS, step_bound, step_law, try_bound, try_law
from acidtest.properties.places import PLACES, Difference, Lookup, eighths, outcome, places, right
from acidtest.properties.rectangles import UndecidedError
from acidtest.properties.sources import ScriptedSource
from acidtest.properties.vectors import HAND

FUNCTIONS = ("speculative_step", "rejection_sample")
"""The functions that put out an id, the one whose law is shown first."""

Masses = Mapping[Hashable, Fraction]


class NoPictureError(Exception):
    """There is no law to show at a place; the message says why."""


@dataclass(frozen=True)
class Picture:
    """The law of one implementation at one pair.

    Attributes:
        kept, later: mass by outcome, an id or a text such as ``raises ValueError``; together 1.
    """

    kept: Masses
    later: Masses

    @property
    def whole(self) -> Masses:
        """The law of the output, however it came about."""
        outcomes = dict.fromkeys([*self.kept, *self.later])
        zero = Fraction(0)
        return {found: self.kept.get(found, zero) + self.later.get(found, zero) for found in outcomes}


def pictures(
    reference: Lookup, mutant: Lookup, function: str, differences: Sequence[Difference], seconds: float
) -> Any:
    """Return the laws of a mutant and of the reference at the hand example and at the worst pair of D, as JSON data.

    The worst pair is that with the largest total-variation distance from p that is more than rounding, among the places
    where D shows a difference (evenly taken where there are more than ``PLACES``, and none is begun after ``seconds``);
    of equal ones the first.

    Args:
        function: one of ``FUNCTIONS``. differences: the calls of it in D that the mutant answers otherwise.
    """
    end = time.monotonic() + seconds
    hand = _described(reference, mutant, function, *HAND)
    valid = [difference for difference in differences if not difference[1].startswith("raises ")]
    found = places(valid)
    tried, worst, largest = 0, None, Fraction(0)
    for call in found[:: max(1, -(-len(found) // PLACES))]:
        if time.monotonic() > end:
            break
        tried += 1
        distance = _distance(mutant, function, call)
        if distance is not None and distance > max(largest, rounding(function, call.args["p"], call.args["q"])):
            worst, largest = call, distance
    return {
        "function": function,
        "hand": hand,
        "worst": _described(reference, mutant, function, worst.args["p"], worst.args["q"]) if worst else None,
        "tried": tried,
        "places": len(found),
    }


def picture(lookup: Lookup, function: str, p: Sequence[float], q: Sequence[float]) -> Picture:
    """Return the law of an implementation at a pair; on eighths under the uniforms of the mathematics, else k * 2**-53.

    Raises:
        NoPictureError: the answers form no rectangles, or the sampler has no envelope at this pair.
    """
    try:
        return _step(lookup(function), p, q) if function == FUNCTIONS[0] else _tries(lookup(function), p, q)
    except UndecidedError as error:
        raise NoPictureError(str(error)) from error


def rounding(function: str, p: Sequence[float], q: Sequence[float]) -> Fraction:
    """Return how far from p the law of right code may lie; 0 on eighths, where the lattice decides nothing by rounding.

    For a step half the sum of what ``step_bound`` allows each id, and an ulp for the sums of p and q. For a sampler the
    same of ``try_bound``, times m where a share is divided by the chance 1 / m to be kept, once for the first try and
    once for later ones.
    """
    if eighths(p, q):
        return Fraction(0)
    ids, ulp = len(p), Fraction(2, 2**53)
    if function == FUNCTIONS[0]:
        return ids * (step_bound(ids) / 2 + ulp)
    return 2 * Fraction(envelope(p, q) or 1.0) * ids * (try_bound(ids) + ulp)


def _step(step: Callable[..., Any], p: Sequence[float], q: Sequence[float]) -> Picture:
    law: Dist[Hashable] = step_law(outcome(step, _answer), p, q, MIDPOINTS if eighths(p, q) else DISCRETE)  # type: ignore[assignment]
    parts: tuple[dict[Hashable, Fraction], ...] = ({}, {})
    for found, mass in law.items():
        name, kept = found if isinstance(found, tuple) else (found, False)
        part = parts[0 if kept else 1]
        part[name] = part.get(name, Fraction(0)) + mass
    return Picture(*parts)


def _answer(answer: Any) -> Hashable:
    name, kept = answer
    return _id(name), bool(kept)


def _id(name: Any) -> Hashable:
    """Return an id as a plain number; what is none becomes an outcome of its own, by its words."""
    return int(name) if isinstance(name, Integral) else f"answers {name!r}"


def _tries(sampler: Callable[..., Any], p: Sequence[float], q: Sequence[float]) -> Picture:
    """Return the first try's law, and what follows a refusal in the proportions of a second try.

    A second try is looked at after each proposal that the first one can refuse, weighed as a right sampler refuses it.
    """
    m = envelope(p, q)
    if m is None or m < 1.0:
        raise NoPictureError("q lacks an id of p, so that there is no envelope")
    lattice = TRY_MIDPOINTS if eighths(p, q) else DISCRETE
    first = try_law(_one_try(sampler, ()), p, q, m, lattice)
    kept: dict[Hashable, Fraction] = {name: mass for name, mass in first.items() if name is not None}
    refused = first.get(None) or Fraction(0)
    if not refused:
        return Picture(kept, {})
    later: dict[Hashable, Fraction] = {}
    weights = [(before, weight) for before, weight in _refusals(p, q, m) if _refuses(sampler, before, p, q, m)]
    total = sum(weight for _, weight in weights)
    for before, weight in weights:
        second = try_law(_one_try(sampler, before), p, q, m, lattice)
        share = 1 - second[None]
        for name, mass in second.items() if share else ():
            if name is not None:
                later[name] = later.get(name, Fraction(0)) + refused * weight / total * mass / share
    missing = refused - sum(later.values(), Fraction(0))
    return Picture(kept, later | ({"never ends": missing} if missing else {}))


def _refusals(p: Sequence[float], q: Sequence[float], m: float) -> Iterator[tuple[tuple[float, float], Fraction]]:
    """Yield uniforms that a right sampler refuses, each with the mass that it refuses there: ``q_i - p_i / m``."""
    sums, target, proposal = running_sums(q), exact(p), exact(q)
    for x, mass in enumerate(q):
        weight = proposal[x] - target[x] / Fraction(m)
        if mass > 0.0 and weight > 0 and p[x] / (m * mass) <= BELOW_ONE:
            yield (min((sums[x] + (sums[x - 1] if x else 0.0)) / 2, BELOW_ONE), BELOW_ONE), weight


def _refuses(sampler: Callable[..., Any], script: Sequence[float], p: Any, q: Any, m: float) -> bool:
    try:
        sampler(*_arrays(p, q), m, ScriptedSource(script), max_tries=1)
    except RuntimeError:
        return True
    except Exception:  # as an outcome it shows in the first try's law
        return False
    return False


def _one_try(sampler: Callable[..., Any], before: Sequence[float]) -> Any:
    """Return the sampler's last try, after a script that is refused; errors other than its giving up are outcomes."""

    def one_try(p: Any, q: Any, m: float, rng: ScriptedSource, max_tries: int) -> tuple[Hashable, int]:
        script = [*before, rng.random(), rng.random()]
        try:
            return _id(sampler(p, q, m, ScriptedSource(script), max_tries=max_tries + len(before) // 2)[0]), 0
        except RuntimeError:
            raise
        except Exception as error:  # whatever the mutant does is an outcome of its law
            return f"raises {type(error).__name__}", 0

    return one_try


def _arrays(*vectors: Sequence[float]) -> Iterator[Any]:
    import numpy as np

    return (np.array(vector, dtype=np.float64) for vector in vectors)


def _distance(lookup: Lookup, function: str, call: Call) -> Fraction | None:
    try:
        found = picture(lookup, function, call.args["p"], call.args["q"])
    except NoPictureError:
        return None
    return total_variation(found.whole, right(call.args["p"]))


def _described(
    reference: Lookup, mutant: Lookup, function: str, p: Sequence[float], q: Sequence[float]
) -> dict[str, Any]:
    """Return both laws at a pair as JSON data; ``why`` in place of the laws where there is none."""
    pair = {"p": [_text(mass) for mass in exact(p)], "q": [_text(mass) for mass in exact(q)]}
    try:
        one, other = picture(reference, function, p, q), picture(mutant, function, p, q)
    except NoPictureError as error:
        return pair | {"why": str(error)}
    return pair | {
        "eighths": eighths(p, q),
        "rounding": _text(rounding(function, p, q)),
        "distance": _text(total_variation(other.whole, right(p))),
        "reference": _parts(one),
        "mutant": _parts(other),
    }


def _parts(found: Picture) -> dict[str, dict[str, str]]:
    return {
        name: {str(outcome): _text(mass) for outcome, mass in masses.items() if mass}
        for name, masses in (("kept", found.kept), ("later", found.later))
    }


def _text(value: Fraction) -> str:
    return str(value)
