"""Where the laws of an implementation are measured, and what counts as an outcome there."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from acidtest.properties.call import Call
from acidtest.properties.dist import Dist, exact, normalize

Lookup = Callable[[str], Callable[..., Any]]
Difference = tuple[Call, str, str]
Law = Dist[Hashable]

PLACES = 400
"""At how many places laws are measured at most, taken evenly from all where D shows a difference."""

LONGEST = 24
"""Up to how many ids a law is measured: the rectangles of a step are as many as the square of its ids."""

_ROUNDING = Fraction(2, 2**53)


def places(valid: Iterable[Difference]) -> list[Call]:
    """Return one call for each place where a law can be measured, in D's order."""
    found: dict[tuple[str, str], Call] = {}
    for call, _, _ in valid:
        keys = {"rejection_accept": ("p_x", "q_x"), "sample_categorical": ("p",)}.get(call.function, ("p", "q"))
        if all(plain(call.args.get(key)) for key in keys):
            found.setdefault((call.function, str([call.args[key] for key in keys])), call)
    return list(found.values())


def plain(value: object) -> bool:
    """Return whether a law can be measured for this argument: numbers as they are, few enough, and 1 in sum."""
    if isinstance(value, list):
        return len(value) <= LONGEST and abs(sum(map(Fraction, value), Fraction(0)) - 1) <= len(value) * _ROUNDING
    return isinstance(value, int | float)


def eighths(*vectors: Sequence[float]) -> bool:
    """Return whether every mass is a multiple of 1/8."""
    return all(mass * 8 == int(mass * 8) for vector in vectors for mass in vector)


def right(p: Sequence[float]) -> Law:
    """Return the law that the output should have: ``p``, normalized where its sum is off 1 by rounding."""
    return normalize(dict(enumerate(exact(p))))


def outcome(function: Callable[..., Any], part: Callable[[Any], Hashable]) -> Callable[..., Any]:
    """Return ``function`` with errors, and answers of another shape, as outcomes."""

    def found(*args: Any) -> Hashable:
        try:
            answer = part(function(*args))
            hash(answer)
        except Exception as error:  # whatever the mutant does is an outcome of its law
            return f"raises {type(error).__name__}"
        return answer

    return found
