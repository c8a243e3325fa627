"""One call of the target as plain data: how it is written, how large it is, and how its arguments come to life."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

Vector = tuple[float, ...]
Pair = tuple[Vector, Vector]
Size = tuple[int, int, str, str]

BELOW_ONE = math.nextafter(1.0, 0.0)
VECTORS = ("p", "q", "values")


@dataclass(frozen=True)
class Call:
    """A function's name, and its arguments by name, as JSON and TOML can hold them (with nan and inf).

    A bare list for ``p``, ``q`` or ``values`` stands for a float64 array. Any other type is spelled out as a mapping
    of one key: ``{"list": [1]}``, ``{"tuple": [0.5, 0.5]}``, or a dtype's name as in ``{"float32": [0.5, 0.5]}`` for
    an array and ``{"float64": 0.25}`` for a scalar of numpy's.
    """

    function: str
    args: Mapping[str, Any]

    @cached_property
    def text(self) -> str:
        """The arguments as JSON, one text for each call of a function."""
        return json.dumps(self.args)

    @cached_property
    def size(self) -> Size:
        """How large the call is, smallest first: by ids, then by the characters that its numbers take to write.

        Fewest ids come first, since a person works through them one by one; then the numbers that are shortest to
        write (0.5 before 0.125 before 0.49999999999999994), without an exponent, so that 1e-17 counts as long as it
        is. A type that is spelled out costs as much as a long number. The rest only makes the order total: the
        function's name and the text itself.
        """
        return ids_of(self.args), sum(map(_written, self.args.values())), self.function, self.text


def _written(value: object) -> int:
    """Return how many characters a value takes, the separator included."""
    if isinstance(value, float):
        return _digits(value) + 2
    if isinstance(value, list | tuple):
        return sum(map(_written, value)) + 2
    if isinstance(value, Mapping):
        return sum(map(_written, value.values())) + 20
    return len(repr(value)) + 2


@lru_cache(maxsize=1 << 16)
def _digits(number: float) -> int:
    mantissa, _, exponent = repr(number).partition("e")
    return len(mantissa) + (abs(int(exponent)) if exponent else 0)


def ids_of(args: Mapping[str, Any]) -> int:
    """Return over how many ids a call speaks: the longer of its vectors, else one."""
    return max((_entries(args[name]) for name in VECTORS if name in args), default=1)


def _entries(value: object) -> int:
    if isinstance(value, Mapping):
        return sum(map(_entries, value.values()))
    return sum(map(_entries, value)) if isinstance(value, list | tuple) else 1


def alive(name: str, value: Any) -> Any:
    """Return the argument ``name`` made from plain data, fresh each time; nothing is checked."""
    if isinstance(value, Mapping):
        ((kind, plain),) = value.items()
        if kind in ("list", "tuple"):
            return list(plain) if kind == "list" else tuple(plain)
        return np.array(plain, dtype=kind)[()]
    return np.array(value, dtype=np.float64) if name in VECTORS else value


def around(value: float) -> list[float]:
    """Return the value and its two float neighbours, where they are uniforms."""
    near = (math.nextafter(value, -1.0), value, math.nextafter(value, 2.0))
    return [u for u in near if 0.0 <= u < 1.0]


def running_sums(masses: Iterable[float]) -> list[float]:
    """Return the left-to-right sums, each with one rounding an addition."""
    sums, total = [], 0.0
    for mass in masses:
        total += mass
        sums.append(total)
    return sums


def normalized(weights: Sequence[float]) -> Vector:
    """Return the weights divided by their left-to-right sum."""
    total = running_sums(weights)[-1]
    return tuple(weight / total for weight in weights)


def residual(p: Sequence[float], q: Sequence[float]) -> list[float]:
    """Return the residual in float64; where no mass is missing, ``p``."""
    excess = [max(0.0, p_i - q_i) for p_i, q_i in zip(p, q, strict=True)]
    z = running_sums(excess)[-1]
    return [mass / z for mass in excess] if z > 0.0 else list(p)


def envelope(p: Sequence[float], q: Sequence[float]) -> float | None:
    """Return the exact envelope ``max(p_i / q_i)``; None where ``q`` lacks an id of ``p``."""
    if any(p_i > 0.0 == q_i for p_i, q_i in zip(p, q, strict=True)):
        return None
    return max(p_i / q_i for p_i, q_i in zip(p, q, strict=True) if q_i > 0.0)
