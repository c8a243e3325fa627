"""When two answers say the same although they are not the same text: the same mistake, written by another hand.

An answer is compared bit for bit everywhere else, since a caller can see every bit. To recognize a mistake that is too
much: a second hand answers with a list where an array is due, adds up in another order, or lets Python complain about
0/0 where numpy gives NaN, and has made the same mistake. Each leniency here is one of these, and no other.
"""

import math
import re
from functools import lru_cache

ULPS = 1e-12
"""Two floats this close, relative to the larger, may come from the same formula evaluated in another order."""
DIVIDED_BY_ZERO = frozenset({"raises ZeroDivisionError", "raises FloatingPointError"})

_NOTE = re.compile(r"; (?=shares \w+(?:; |$)|\w+ after = |drew \d+(?:; |$)|warned \w+(?:; |$))")
_AFTER = re.compile(r" after = [^;]*")
_NUMBER = re.compile(r"(?<![\w.])-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|inf|nan)(?![\w.])")
_SCALAR = re.compile(r"\bnp\.\w+\(([^()]*)\)")
_ARRAY = re.compile(r"\b\w+\((\[.*?\])(?:, dtype=\w+)?\)")
_WHOLE = re.compile(r"(?<![\w.])(-?\d+)\.0(?![\w.])")
_BRACKETS = str.maketrans("()", "[]")


@lru_cache(maxsize=1 << 16)
def loose(text: str) -> str:
    """Return what an answer says apart from its form, equal for answers that differ in nothing else.

    Form is: numpy's or Python's type for a number, a flag or a vector; a whole number written as a float; the sign of a
    zero; a warning. Memory shared with an argument, arguments written to and the uniforms drawn are no form.
    """
    value, *notes = _NOTE.split(text)
    return "; ".join([_plain(value), *(_plain(note) for note in notes if not note.startswith("warned "))])


def _plain(text: str) -> str:
    text = _SCALAR.sub(r"\1", text.replace("np.True_", "True").replace("np.False_", "False"))
    text = _ARRAY.sub(r"\1", text).translate(_BRACKETS).replace(",]", "]")
    text = _WHOLE.sub(r"\1", text)
    return re.sub(r"(?<![\w.])-0(?![\w.])", "0", text)


@lru_cache(maxsize=1 << 13)
def _said(text: str) -> str:
    """Return what an answer says apart from its form and from what stands in arguments that were written to."""
    return _AFTER.sub(" after", loose(text))


@lru_cache(maxsize=1 << 13)
def alike(answer: str, mutant: str, reference: str) -> bool:
    """Return whether ``answer`` is the mutant's answer, perhaps in another form, and not the reference's.

    Beside form: what stands in an argument that was written to; floats within ``ULPS``, where the mutant is further
    than that from the reference (a mistake in the last bits is recognized by its bits alone); and an error about a
    division by zero where the mutant answers NaN.
    """
    mine, theirs, right = _said(answer), _said(mutant), _said(reference)
    if right in (mine, theirs):
        return False
    if mine == theirs:
        return True
    if mine.partition("; ")[0] in DIVIDED_BY_ZERO:
        return "nan" in theirs
    return close(mine, theirs) and not close(theirs, right) and not close(mine, right)


def close(one: str, other: str) -> bool:
    """Return whether two loose answers are the same but for the last bits of their floats."""
    if one == other:
        return True
    if _skeleton(one) != _skeleton(other):
        return False
    pairs = zip(_numbers(one), _numbers(other), strict=True)
    return all(a == b or math.isclose(a, b, rel_tol=ULPS) or (a != a and b != b) for a, b in pairs)


@lru_cache(maxsize=1 << 14)
def _skeleton(text: str) -> str:
    return _NUMBER.sub("#", text)


@lru_cache(maxsize=1 << 14)
def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(number) for number in _NUMBER.findall(text))
