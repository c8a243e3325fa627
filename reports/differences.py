"""In what two answers differ, in words and exact numbers."""

import re
import struct

from acidtest.reports.answer_text import Answer, Value, exact, read_answer

_FLOAT = re.compile(r"(?<![\w.])[+-]?(?:\d+\.\d*(?:e[+-]?\d+)?|\d+e[+-]?\d+)(?![\w.])")


def exact_numbers(text: str) -> str:
    """Return a text in which each float whose decimal is not exactly the number has its hexadecimal beside it."""
    return _FLOAT.sub(lambda match: exact(match.group()), text)


def differences(reference: str, mutant: str) -> tuple[str, ...]:
    """Return what sets the mutant's answer apart, one phrase for each kind of difference."""
    right, wrong = read_answer(reference), read_answer(mutant)
    return (
        *_results(right, wrong),
        *(f"the result shares memory with {name}" for name in wrong.shares if name not in right.shares),
        *(f"the result does not share memory with {name}" for name in right.shares if name not in wrong.shares),
        *(f"{name} is changed" for name in wrong.after if wrong.after[name] != right.after.get(name)),
        *(f"{name} is not changed" for name in right.after if name not in wrong.after),
        *_draws(right, wrong),
        *(f"it warns: {name}" for name in wrong.warned if name not in right.warned),
        *(f"it does not warn: {name}" for name in right.warned if name not in wrong.warned),
    )


def _draws(right: Answer, wrong: Answer) -> list[str]:
    return [
        f"{wrong.drew[name]} uniforms are drawn, not {count}"
        for name, count in right.drew.items()
        if name in wrong.drew and wrong.drew[name] != count
    ]


def _results(right: Answer, wrong: Answer) -> list[str]:
    if right.error or wrong.error:
        if right.error == wrong.error:
            return []
        if not wrong.error:
            return ["a value is returned, where an error belongs"]
        return [f"{wrong.error} is raised" + (f", not {right.error}" if right.error else ", where a value belongs")]
    if right.value is None or wrong.value is None or right.value == wrong.value:
        return []
    return _values(right.value, wrong.value)


def _values(right: Value, wrong: Value) -> list[str]:
    one, other = right.numbers, wrong.numbers
    if one == other and right.kind != wrong.kind:
        return [f"the type is {wrong.kind}, not {right.kind}"]
    if one == other and right.options != wrong.options:
        return [f"the dtype is {wrong.options.get('dtype', 'float64')}, not {right.options.get('dtype', 'float64')}"]
    if len(one) != len(other):
        return ["the value has another length"] if one and other else ["the value"]
    apart = [ulps(a, b) for a, b in zip(one, other, strict=True)]
    known = [distance for distance in apart if distance]
    if _has_floats(right) and known and all(distance <= 2**20 for distance in known):
        return [f"the value, by up to {max(known)} units in the last place"]
    return ["the value"]


def _has_floats(value: Value) -> bool:
    return value.kind == "float" or any(map(_has_floats, value.parts))


def ulps(left: float, right: float) -> int:
    """Return how many float64 numbers apart two numbers are; a large number where one of them is NaN."""
    if left == right:
        return 0
    if left != left or right != right:
        return 0 if left != left and right != right else 2**64
    return abs(_rank(left) - _rank(right))


def _rank(number: float) -> int:
    """Return the number's place among all float64 numbers."""
    (bits,) = struct.unpack("<q", struct.pack("<d", number))
    return int(bits) if bits >= 0 else -(int(bits) + 2**63)
