"""How bad a fault is: the distance of its exact output law from the right one, or its size in bits, or in words."""

import math
import struct
import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from acidtest.properties.call import Call, alive, running_sums
from acidtest.properties.dist import total_variation
from acidtest.properties.distances import Distance, distances, ids_law, shares_of
from acidtest.properties.laws import DISCRETE, MIDPOINTS, residual_bound
from acidtest.properties.places import PLACES, Difference, Lookup, eighths, outcome, places, plain
from acidtest.properties.rectangles import UndecidedError

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
    measured: list[Distance] = []
    tried = 0
    for call in found_at[:: max(1, step)]:
        if time.monotonic() - begun > seconds:
            break
        tried += 1
        measured.extend(distances(mutant, call))
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
            one, other = (ids_law(step, call, DISCRETE, lambda answer: answer[0]) for step in steps)
            return math.ceil(total_variation(one, other) * 2**53)
    except UndecidedError:
        return 0
    return 0


def _accept_share(lookup: Lookup, call: Call) -> dict[Hashable, int]:
    p_x, q_x = alive("p_x", call.args["p_x"]), alive("q_x", call.args["q_x"])
    decide = outcome(lookup("rejection_accept"), bool)
    return shares_of(lambda u: decide(p_x, q_x, u), [p_x / q_x])


def _shares(lookup: Lookup, call: Call) -> dict[Hashable, int]:
    p = call.args["p"]
    decide = outcome(lookup("sample_categorical"), lambda answer: answer)
    return shares_of(lambda u: decide(np.array(p), u), running_sums(p))


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
            ids_law(look("speculative_step"), call, MIDPOINTS, lambda answer: answer[1]) for look in (reference, mutant)
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
