"""How bad a fault is: the distance of its exact output law from the right one, or its size in bits, or in words."""

import itertools
import math
import struct
import time
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
    residual_bound,
    step_bound,
    step_law,
    try_bound,
    try_law,
)
from acidtest.properties.places import PLACES, Difference, Law, Lookup, eighths, outcome, places, plain, right
from acidtest.properties.rectangles import Rectangle, UndecidedError, measure
from acidtest.properties.sources import ScriptedSource

_E = Fraction(1, 2**53)
_SAMPLED_BITS = 24


@dataclass(frozen=True)
class Severity:
    """How bad a fault is.

    Attributes:
        kind: ``math-wrong``, ``bit-wrong`` or ``contract-wrong``.
        text: the distance or the size, and where it was measured; one line.
        distance: the largest total-variation distance from the right law that was measured; None where no law was.
    """

    kind: str
    text: str
    distance: Fraction | None = None


@dataclass(frozen=True)
class _Measured:
    """A distance from the right law, what rounding explains of it, and where it was measured."""

    distance: Fraction
    bound: Fraction
    what: str
    call: Call


def severity(reference: Lookup, mutant: Lookup, differences: Sequence[Difference], seconds: float) -> Severity:
    """Return how bad the mutant is, from the calls of D on which it answers differently (at least one).

    Laws are measured where D shows a difference: on the pair (or the vector, or the draft) of each such call, on the
    lattice of midpoints for eighths, where the right law is exactly p, and on the uniforms k * 2**-53 elsewhere,
    where it is p within a bound that ``laws`` derives; of more than ``LONGEST`` ids none is measured. An error is an
    outcome like any other. Of more than ``PLACES`` places that many are measured, and none is begun after ``seconds``;
    where some are left out, the text says so.
    """
    begun = time.monotonic()
    valid = [difference for difference in differences if not difference[1].startswith("raises ")]
    found_at = places(valid)
    step = -(-len(found_at) // PLACES)
    measured: list[_Measured] = []
    tried = 0
    for call in found_at[:: max(1, step)]:
        if time.monotonic() - begun > seconds:
            break
        tried += 1
        measured.extend(_measured(mutant, call))
    worst = max(measured, key=lambda found: found.distance, default=None)
    wrong = [found for found in measured if found.distance > found.bound]
    most = f"; the largest of {tried} places measured, of {len(found_at)} where D shows a difference"
    most = most if tried < len(found_at) else ""
    if wrong:
        worst = max(wrong, key=lambda found: found.distance)
        where = f"{worst.what} is off by {_number(worst.distance)} at {_spoken(worst.call)}"
        return Severity("math-wrong", where + most, worst.distance)
    distance = worst.distance if worst is not None else None
    kept = _kept(reference, mutant, valid)
    bits = "" if kept else _bits(reference, mutant, valid)
    if bits:
        return Severity("bit-wrong", bits + most, distance)
    return Severity("contract-wrong", kept or _aspect(differences), distance)


def _measured(mutant: Lookup, call: Call) -> Iterator[_Measured]:
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


def _ids(step: Callable[..., Any], call: Call, lattice: Lattice, part: Callable[[Any], Hashable]) -> Law:
    return step_law(outcome(step, part), call.args["p"], call.args["q"], lattice)  # type: ignore[return-value]


def _step(step: Callable[..., Any], call: Call) -> _Measured:
    p, q = call.args["p"], call.args["q"]
    grid = eighths(p, q)
    law = _ids(step, call, MIDPOINTS if grid else DISCRETE, lambda answer: answer[0])
    bound = Fraction(0) if grid else len(p) * (step_bound(len(p)) / 2 + 2 * _E)
    return _Measured(total_variation(law, right(p)), bound, "the law of the output", call)


def _tries(sampler: Callable[..., Any], call: Call) -> Iterator[_Measured]:
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
        yield _Measured(total_variation(kept, right(p)), bound, what, call)


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


def _line(decide: Callable[[float], Any], cuts: Sequence[float]) -> dict[Hashable, int]:
    """Return how many of the 2**53 uniforms give each answer, starting from the given cuts."""
    edges = sorted({0, DISCRETE.size, *(min(DISCRETE.below(cut), DISCRETE.size) for cut in cuts)})
    cells = [Rectangle(a, b - 1, 0, 0) for a, b in itertools.pairwise(edges) if a < b]
    return measure(lambda k, _: decide(DISCRETE.uniform(k)), cells)


def _categorical(draw: Callable[..., Any], call: Call) -> _Measured:
    p = call.args["p"]
    decide = outcome(draw, lambda answer: answer)
    law: Law = normalize(_line(lambda u: decide(np.array(p), u), running_sums(p)))
    return _Measured(total_variation(law, right(p)), len(p) * (len(p) + 3) * _E, "the law of the ids drawn", call)


def _accept(accept: Callable[..., Any], call: Call) -> _Measured:
    p_x, q_x = alive("p_x", call.args["p_x"]), alive("q_x", call.args["q_x"])
    ratio = min(Fraction(1), Fraction(p_x) / Fraction(q_x))
    decide = outcome(accept, bool)
    shares = _line(lambda u: decide(p_x, q_x, u), [p_x / q_x])
    law: Law = normalize(shares)
    right: Law = Dist({True: ratio, False: 1 - ratio})
    return _Measured(total_variation(law, right), 2 * _E, "the share kept", call)


def _alpha(alpha: Callable[..., Any], call: Call) -> Iterator[_Measured]:
    p, q = call.args["p"], call.args["q"]
    try:
        found = Fraction(float(alpha(np.array(p), np.array(q))))
    except Exception:  # no number: the words for it are found elsewhere
        return
    right = sum(map(min, exact(p), exact(q)), Fraction(0))
    yield _Measured(abs(found - right), (len(p) + 1) * _E, "the acceptance probability", call)


def _bits(reference: Lookup, mutant: Lookup, valid: Sequence[Difference]) -> str:
    """Return how far answers lie apart in units of the last place, and the smallest call; empty where they do not."""
    largest, where = 0, None
    for call, one, other in valid:
        if one.startswith("raises ") or other.startswith("raises ") or one.split("(")[0] != other.split("(")[0]:
            continue
        distance = _ulps(_numbers(reference, call), _numbers(mutant, call), len(call.args.get("p", ())))
        if distance:
            where = where or call
            largest = max(largest, distance)
    if where is not None:
        words = "1 unit in the last place" if largest == 1 else f"{largest} units in the last place"
        return f"up to {words} apart, first at {_spoken(where)}"
    for call, one, other in valid[:_SAMPLED_BITS]:
        moved = _moved(reference, mutant, call) if not {one[:7], other[:7]} & {"raises "} else 0
        if moved:
            return f"{moved} of 2**53 uniforms are decided otherwise, first at {_spoken(call)}"
    return ""


def _numbers(lookup: Lookup, call: Call) -> list[float]:
    """Return a function's answer as floats; empty where it is made of anything else."""
    if call.function not in ("acceptance_probability", "residual_distribution", "as_distribution"):
        return []
    try:
        found = lookup(call.function)(**{name: alive(name, value) for name, value in call.args.items()})
    except Exception:  # no number
        return []
    array = np.atleast_1d(np.asarray(found))
    return [float(value) for value in array.tolist()] if array.dtype.kind == "f" and array.ndim == 1 else []


def _ulps(one: Sequence[float], other: Sequence[float], ids: int) -> int:
    """Return the largest distance of two vectors in ulps; 0 where they are equal, or further apart than rounding."""
    if len(one) != len(other) or not all(map(math.isfinite, (*one, *other))):
        return 0
    bound = float(residual_bound(max(ids, 1))) * 4
    if any(abs(a - b) > bound * max(abs(a), abs(b)) for a, b in zip(one, other, strict=True)):
        return 0
    return max((abs(_ordinal(a) - _ordinal(b)) for a, b in zip(one, other, strict=True)), default=0)


def _ordinal(value: float) -> int:
    """Return the place of a finite float among all floats in order, so that neighbours differ by 1."""
    bits = int(struct.unpack("<q", struct.pack("<d", value))[0])
    return bits if bits >= 0 else -(bits & (2**63 - 1))


def _moved(reference: Lookup, mutant: Lookup, call: Call) -> int:
    """Return how many of the 2**53 uniforms a mutant decides otherwise at the place of a call, as far as laws show."""
    try:
        if call.function == "rejection_accept":
            return _apart(_accept_share(reference, call), _accept_share(mutant, call))
        if call.function == "sample_categorical" and plain(call.args["p"]):
            return _apart(*(_shares(lookup, call) for lookup in (reference, mutant)))
        if call.function == "speculative_step" and plain(call.args["p"]) and plain(call.args["q"]):
            steps = [lookup("speculative_step") for lookup in (reference, mutant)]
            one, other = (_ids(step, call, DISCRETE, lambda answer: answer[0]) for step in steps)
            return math.ceil(total_variation(one, other) * 2**53)
    except UndecidedError:
        return 0
    return 0


def _accept_share(lookup: Lookup, call: Call) -> dict[Hashable, int]:
    p_x, q_x = alive("p_x", call.args["p_x"]), alive("q_x", call.args["q_x"])
    decide = outcome(lookup("rejection_accept"), bool)
    return _line(lambda u: decide(p_x, q_x, u), [p_x / q_x])


def _shares(lookup: Lookup, call: Call) -> dict[Hashable, int]:
    p = call.args["p"]
    decide = outcome(lookup("sample_categorical"), lambda answer: answer)
    return _line(lambda u: decide(np.array(p), u), running_sums(p))


def _apart(one: dict[Hashable, int], other: dict[Hashable, int]) -> int:
    return sum(abs(one.get(key, 0) - other.get(key, 0)) for key in {*one, *other}) // 2


def _kept(reference: Lookup, mutant: Lookup, valid: Sequence[Difference]) -> str:
    """Return by how much another share of drafts is kept, where that is more than rounding; empty where it is not."""
    steps = [call for call, one, other in valid if call.function == "speculative_step" and "raises" not in other]
    apart = max((_kept_apart(reference, mutant, call) for call in steps[:_SAMPLED_BITS]), default=Fraction(0))
    return f"the law of the ids is right, the share of drafts that is kept is off by {_number(apart)}" if apart else ""


def _aspect(differences: Sequence[Difference]) -> str:
    """Return in words what is different where no law and no number is."""
    refused = sum(one.startswith("raises ") for _, one, _ in differences)
    raised = sum(other.startswith("raises ") and not one.startswith("raises ") for _, one, other in differences)
    parts = []
    if refused:
        parts.append(f"{refused} calls of D that must be refused are answered otherwise")
    if raised:
        parts.append(f"{raised} calls of D that break no rule raise")
    for mark, words in (("shares ", "share memory with an argument"), (" after = ", "write to an argument")):
        count = sum(mark in other and mark not in one for _, one, other in differences)
        if count:
            parts.append(f"{count} calls of D {words}")
    if not parts:
        parts.append(f"{len(differences)} calls of D are answered otherwise, and no law that was measured moves")
    return "; ".join(parts)


def _kept_apart(reference: Lookup, mutant: Lookup, call: Call) -> Fraction:
    p, q = call.args.get("p"), call.args.get("q")
    if not (plain(p) and plain(q) and isinstance(p, list) and isinstance(q, list) and eighths(p, q)):
        return Fraction(0)
    try:
        one, other = (
            _ids(look("speculative_step"), call, MIDPOINTS, lambda answer: answer[1]) for look in (reference, mutant)
        )
    except UndecidedError:
        return Fraction(0)
    return total_variation(one, other)


def _number(value: Fraction) -> str:
    return str(value) if value.denominator <= 10**6 else f"{float(value):.3g}"


def _spoken(call: Call) -> str:
    if call.function in ("speculative_step", "rejection_sample"):
        return f"p = {call.args['p']}, q = {call.args['q']}"
    return ", ".join(f"{name} = {value}" for name, value in call.args.items())
