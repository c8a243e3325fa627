"""Calls that break exactly one rule of the contract each, and calls at the very edge that break none."""

import math
from collections.abc import Iterator
from typing import Any

from acidtest.properties.call import BELOW_ONE, Call
from acidtest.properties.vectors import HAND

NAN, INF = math.nan, math.inf
TINY = 5e-324
GOOD = [0.5, 0.5]
NO_DISTRIBUTION: tuple[Any, ...] = (
    [],
    [0.5, 0.6],
    [0.4, 0.5],
    [0.5, 0.5 + 1e-8],
    [0.5, 0.5 - 1e-8],
    [1.5, -0.5],
    [-0.5, 1.5],
    [1.0, -TINY],
    [NAN, 1.0],
    [1.0, NAN],
    [INF, 0.5],
    [0.5, INF],
    [-INF, 0.5],
    [0.0, 0.0],
    [[0.5, 0.5]],
    [[0.5], [0.5]],
    {"float64": 1.0},
    {"list": ["x", 0.5]},
    {"list": [None, 1.0]},
    {"list": [[0.5], 0.5]},
    {"complex128": [0.5, 0.5]},
    {"list": [10**400, 0.5]},
)
"""Each is refused, wherever a distribution is asked for, and always by the same class of error."""

EDGES: tuple[Any, ...] = (
    [0.5, 0.5 + 5e-10],
    [0.5, 0.5 - 5e-10],
    {"list": [0.5, 0.5]},
    {"tuple": [0.5, 0.5]},
    {"list": [1, 0]},
    {"int64": [0, 1]},
    {"float32": [0.5, 0.5]},
    {"list": [True, False]},
)
"""Each is a distribution, though no float64 array, or not quite 1 in sum."""


def one_rule_broken() -> Iterator[Call]:
    """Yield each rule of the contract broken alone, for every function that has it."""
    yield from _accept()
    yield from _vectors()
    yield from _step()
    yield from _sample()
    yield from (Call("sample_categorical", {"p": GOOD, "u": u}) for u in (1.0, -TINY, -1.0, 2.0, NAN, INF, -INF))


def _accept() -> Iterator[Call]:
    accept = {"p_x": 0.25, "q_x": 0.5, "u": 0.25}
    for name, values in {
        "p_x": (-0.25, -1.0, -TINY, NAN, INF, -INF),
        "q_x": (0.0, -0.5, -TINY, NAN, INF, -INF),
        "u": (1.0, -TINY, -0.5, 1.5, 2.0, NAN, INF, -INF),
    }.items():
        yield from (Call("rejection_accept", {**accept, name: value}) for value in values)
    yield Call("rejection_accept", {"p_x": 0.0, "q_x": 0.0, "u": 0.99})


def _vectors() -> Iterator[Call]:
    """Yield what is no distribution, and what only looks like none, in each place where one is asked for."""
    extras: dict[str, dict[str, Any]] = {
        "acceptance_probability": {},
        "residual_distribution": {},
        "speculative_step": {"x": 0, "u_accept": 0.25, "u_resample": 0.5},
        "rejection_sample": {"m": 4.0, "rng": [0.1, 0.1, 0.9, 0.1]},
    }
    unequal = [([0.5, 0.5, 0.0], GOOD), (GOOD, [0.5, 0.5, 0.0]), ([1.0], GOOD), (GOOD, [1.0]), ([1.0], [1.0, 0.0])]
    unequal += [([0.25, 0.25, 0.5], GOOD)]
    for function, extra in extras.items():
        for vector in NO_DISTRIBUTION + EDGES:
            yield Call(function, {"p": vector, "q": GOOD, **extra})
            yield Call(function, {"p": GOOD, "q": vector, **extra})
        yield from (Call(function, {"p": one, "q": other, **extra}) for one, other in unequal)
        yield Call(function, {"p": {"list": [1]}, "q": {"list": [1]}, **extra})
        yield Call(function, {"p": {"int64": [1, 0]}, "q": {"int64": [1, 0]}, **extra})
        yield Call(function, {"p": {"float32": [0.25, 0.75]}, "q": {"float32": [0.5, 0.5]}, **extra})
    for vector in NO_DISTRIBUTION + EDGES:
        yield Call("sample_categorical", {"p": vector, "u": 0.25})
        yield Call("as_distribution", {"name": "p", "values": vector})
    yield Call("sample_categorical", {"p": [1.0, TINY], "u": BELOW_ONE})
    yield Call("sample_categorical", {"p": GOOD, "u": {"float64": 0.25}})


def _step() -> Iterator[Call]:
    hand = {"p": list(HAND[0]), "q": list(HAND[1]), "x": 1, "u_accept": 0.75, "u_resample": 0.25}
    coin = {"p": [0.25, 0.75], "q": GOOD, "x": 0, "u_accept": 0.75, "u_resample": 0.25}
    same = {"p": GOOD, "q": GOOD, "x": 0, "u_accept": 0.5, "u_resample": 0.5}
    uniforms = (1.0, -TINY, -0.5, 1.5, NAN, INF, -INF)
    for rejected, ids in ((hand, 4), (coin, 2)):
        for x in (-1, -ids, ids, ids + 1, 0.5, 1.0, "1", None):
            yield Call("speculative_step", {**rejected, "x": x})
        for u in uniforms:
            yield Call("speculative_step", {**rejected, "u_accept": u})
            yield Call("speculative_step", {**rejected, "u_resample": u})
            yield Call("speculative_step", {**rejected, "u_accept": 0.25, "u_resample": u})
    yield Call("speculative_step", {**hand, "x": 2})
    yield Call("speculative_step", {**same, "q": [1.0, 0.0], "x": 1})
    yield Call("speculative_step", {**same, "x": -1})
    yield Call("speculative_step", {**same, "x": 2})
    yield Call("speculative_step", {"p": [1.0], "q": [1.0], "x": 1, "u_accept": 0.5, "u_resample": 0.5})
    for other in ({"int64": 1}, True):
        yield Call("speculative_step", {**same, "x": other})
    for name in ("u_accept", "u_resample"):
        yield Call("speculative_step", {**hand, name: {"float64": hand[name]}})


def _sample() -> Iterator[Call]:
    coin = {"p": [0.25, 0.75], "q": GOOD, "m": 1.5, "rng": [0.1, 0.1]}
    for m in (0.5, 0.0, -2.0, math.nextafter(1.0, 0.0), NAN, INF, -INF):
        yield Call("rejection_sample", {"p": GOOD, "q": GOOD, "m": m, "rng": [0.1, 0.1]})
    for m in (1.4, 1.25, 1.0, math.nextafter(1.5, 0.0)):
        yield Call("rejection_sample", {**coin, "m": m})
        yield Call("rejection_sample", {**coin, "p": [0.75, 0.25], "m": m})
    for tries in (0, -1):
        yield Call("rejection_sample", {**coin, "max_tries": tries})
    for p, q in ((GOOD, [1.0, 0.0]), (GOOD, [0.0, 1.0]), ([1.0, 0.0], [0.0, 1.0]), (list(HAND[0]), list(HAND[1]))):
        yield Call("rejection_sample", {"p": p, "q": q, "m": 4.0, "rng": [0.1, 0.1]})
    yield Call("rejection_sample", {**coin, "m": {"float64": 1.5}, "rng": [0.9, 0.1]})
