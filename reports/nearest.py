"""Which test came nearest to noticing a mutant, and why it missed: pure functions of the calls that tests make.

A test notices a mutant where it makes a call that the two answer differently, and looks at what differs. So the
nearest test is, in this order: one that makes such a call and passes all the same; among those that execute the
changed code, the one whose call of the witness's function differs least from the witness; any that calls the function
at all. "Least" counts the arguments that differ first, then adds up by how much: absolute differences of numbers,
entry by entry of vectors, 1 for each entry that only one of them has and for anything else.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from acidtest.mutants.model import Witness
from acidtest.reports.diary import Noted

Distance = tuple[int, float]


class Miss(StrEnum):
    """Why the nearest test missed."""

    DID_NOT_LOOK = "made a call that is answered differently, and did not look at the difference"
    OTHER_CALLS = "executes the changed code, and makes no call that is answered differently"
    NOT_REACHED = "calls the function, and never executes the changed code"
    NO_CALL = "executes the changed code; its calls cannot be compared with the witness"
    NONE = "no test executes the changed code or calls the function"


@dataclass(frozen=True, slots=True)
class Nearest:
    """The test that came nearest.

    Attributes:
        test: its id; empty where there is none.
        args: its call's arguments, the one that is nearest to the witness; None where none can be compared.
        reference, mutant: what the two answer to that call, as far as it was asked.
        differs: the arguments in which it differs from the witness.
        compared: over how many different calls of how many tests this was decided.
    """

    miss: Miss
    test: str = ""
    args: Mapping[str, Any] | None = None
    reference: str = ""
    mutant: str = ""
    differs: tuple[str, ...] = ()
    compared: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Asked:
    """A call that a test made, with both answers; empty where they were not asked."""

    noted: Noted
    reference: str = ""
    mutant: str = ""


def nearest(witness: Witness, asked: Sequence[Asked], reaching: Collection[str]) -> Nearest:
    """Return the test that came nearest to noticing the mutant.

    Args:
        asked: the calls of the witness's function that tests made. reaching: ids of tests that execute a changed line.
    """
    calls = [call for call in asked if call.noted.function == witness.function]
    compared = (len(calls), len({call.noted.test for call in calls}))
    unlike = [call for call in calls if call.reference and call.mutant and call.reference != call.mutant]
    near = [call for call in calls if call.noted.test in reaching]
    for miss, chosen in ((Miss.DID_NOT_LOOK, unlike), (Miss.OTHER_CALLS, near)):
        if chosen:
            return _closest(miss, witness, chosen, compared)
    if reaching:
        return Nearest(Miss.NO_CALL, sorted(reaching)[0], compared=compared)
    return _closest(Miss.NOT_REACHED, witness, calls, compared) if calls else Nearest(Miss.NONE)


def _closest(miss: Miss, witness: Witness, calls: Sequence[Asked], compared: tuple[int, int]) -> Nearest:
    call = min(calls, key=lambda call: (distance(call.noted.args, witness.args), call.noted.test))
    differs = differing(call.noted.args, witness.args)
    return Nearest(miss, call.noted.test, call.noted.args, call.reference, call.mutant, differs, compared)


def distance(args: Mapping[str, Any], other: Mapping[str, Any]) -> Distance:
    """Return how many arguments differ, and by how much in all."""
    names = differing(args, other)
    return len(names), sum(_gap(args.get(name), other.get(name)) for name in names)


def differing(args: Mapping[str, Any], other: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the arguments that are not the same; one that is left out counts as different."""
    names = dict.fromkeys([*args, *other])
    return tuple(name for name in names if _gap(args.get(name), other.get(name)) > 0)


def _gap(left: Any, right: Any) -> float:
    if isinstance(left, Mapping) or isinstance(right, Mapping):
        return _gap(_inside(left), _inside(right)) + float(_type(left) != _type(right))
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        longer = abs(len(left) - len(right))
        return longer + sum(_gap(a, b) for a, b in zip(left, right, strict=False))
    if isinstance(left, bool) or isinstance(right, bool):
        return float(left is not right)
    if isinstance(left, int | float) and isinstance(right, int | float):
        if math.isnan(left) or math.isnan(right):
            return float(math.isnan(left) != math.isnan(right))
        return 0.0 if left == right else min(abs(left - right), 1e308)
    return float(left != right)


def _inside(value: Any) -> Any:
    """Return what a spelled-out type holds: ``{"float32": [0.5]}`` is a vector of another type than ``[0.5]``."""
    return next(iter(value.values())) if isinstance(value, Mapping) and len(value) == 1 else value


def _type(value: Any) -> str:
    return next(iter(value)) if isinstance(value, Mapping) and len(value) == 1 else ""
