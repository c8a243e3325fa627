"""A few hundred calls out of every corner of the contract: enough to tell the catalog's entries apart, and quick."""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

from acidtest.properties.call import BELOW_ONE, Call, Pair, Vector
from acidtest.properties.vectors import HAND, SECOND_HAND

NAN, INF = math.nan, math.inf


def battery() -> Iterator[Call]:
    """Yield the battery, always the same calls in the same order; no call breaks two rules of the contract at once."""
    yield from _accept_calls()
    yield from _categorical_calls()
    for p, q in PAIRS:
        yield Call("acceptance_probability", {"p": list(p), "q": list(q)})
        yield Call("residual_distribution", {"p": list(p), "q": list(q)})
        yield from _step_calls(p, q)
    yield from _sample_calls()
    yield from _refused_calls()


def _normalized(weights: Sequence[float]) -> Vector:
    total = 0.0
    for weight in weights:
        total += weight
    return tuple(weight / total for weight in weights)


def _on_grid(ids: int, parts: int) -> list[Vector]:
    """Return every distribution over ``ids`` whose masses are multiples of ``1 / parts``."""
    counts = (count for count in itertools.product(range(parts + 1), repeat=ids) if sum(count) == parts)
    return [tuple(part / parts for part in count) for count in counts]


def _small_pairs() -> list[Pair]:
    """Return all pairs of quarters with at most two ids, and every seventh pair of quarters with three."""
    pairs = [(p, q) for ids in (1, 2) for p in _on_grid(ids, 4) for q in _on_grid(ids, 4)]
    return pairs + [(p, q) for p in _on_grid(3, 4) for q in _on_grid(3, 4)][::7]


def _eighths_pairs() -> list[Pair]:
    """Return pairs of eighths with three and four ids, some with unequal residual entries and gaps in the support."""
    return [
        ((0.5, 0.375, 0.125), (0.125, 0.25, 0.625)),
        ((0.125, 0.625, 0.25), (0.625, 0.125, 0.25)),
        ((0.0, 0.625, 0.375), (0.5, 0.125, 0.375)),
        ((0.25, 0.0, 0.75), (0.125, 0.75, 0.125)),
        ((0.125, 0.25, 0.0, 0.625), (0.25, 0.0, 0.5, 0.25)),
        ((0.25, 0.25, 0.25, 0.25), (0.25, 0.25, 0.25, 0.25)),
        ((0.0, 0.5, 0.0, 0.5), (0.0, 0.25, 0.5, 0.25)),
        ((0.375, 0.0, 0.625, 0.0), (0.0, 0.5, 0.0, 0.5)),
    ]


def _close_pairs() -> list[Pair]:
    """Return pairs that differ by little, or only where float64 does not see a difference in the sums."""
    pairs: list[Pair] = [((0.5 + gap, 0.5 - gap), (0.5, 0.5)) for gap in (1e-7, 2.0**-40, 2.0**-53, 1e-3, 1e-5, 1e-12)]
    tiny: list[Pair] = [
        ((1.0, 1e-17), (1.0, 2e-17)),
        ((0.5, 0.5, 1e-17), (0.5, 0.5, 3e-17)),
        ((1.0, 1e-17, 0.0), (1.0, 0.0, 1e-17)),
        ((1.0, 5e-324), (1.0, 0.0)),
        ((1 - 1e-9, 1e-9), (1 - 2e-9, 2e-9)),
        ((0.3 + 1e-10, 0.7), (0.3, 0.7 + 1e-10)),
    ]
    return pairs + tiny


def _rough_pairs() -> list[Pair]:
    """Return pairs whose masses are no dyadic numbers, long enough for the order of a sum to show."""
    first, second = _normalized((9, 86, 3, 54, 8, 30, 48, 42)), _normalized((40, 3, 1, 13, 1, 67, 53, 65))
    thirds, sevenths = _normalized((1, 1, 1)), _normalized((1, 2, 4))
    long = _normalized([1 + (7 * i) % 23 for i in range(24)])
    longer = _normalized([1 + (5 * i + 3) % 19 for i in range(24)])
    return [
        (first, second),
        (second, first),
        (long, longer),
        (longer, long),
        (_normalized(range(12, 0, -1)), _normalized([1 + (5 * i) % 7 for i in range(12)])),
        (thirds, sevenths),
        (sevenths, thirds),
        (_normalized((3, 0, 5, 2)), _normalized((1, 4, 0, 6))),
        (_normalized((0.054, 0.946)), _normalized((0.811, 0.189))),
        ((0.1,) * 10, _normalized(range(1, 11))),
    ]


PAIRS: tuple[Pair, ...] = (HAND, SECOND_HAND, *_eighths_pairs(), *_close_pairs(), *_rough_pairs(), *_small_pairs())


def _around(value: float) -> list[float]:
    """Return the value and its float neighbours, where they are uniforms."""
    near = (math.nextafter(value, -1.0), value, math.nextafter(value, 2.0))
    return [u for u in near if 0.0 <= u < 1.0]


def _accept_calls() -> Iterator[Call]:
    """Yield ratios of every kind, each with uniforms at its edges and between."""
    ratios = [(0.25, 0.5), (0.5, 0.25), (0.5, 0.5), (0.0, 0.5), (1.0, 0.1), (0.1, 0.3), (0.054, 0.811), (1 / 3, 0.7)]
    ratios += [(1e-300, 1.0), (1.0, 1e-300), (5e-324, 0.5), (0.0, 1.0), (0.3, 0.9), (1e-17, 2e-17), (1e-6, 3e-6)]
    ratios += [(k / 97, (k * 31 % 89 + 1) / 90) for k in range(1, 97, 6)]
    for p_x, q_x in ratios:
        for u in dict.fromkeys([*_around(p_x / q_x), 0.0, 0.3, 0.75, BELOW_ONE]):
            yield Call("rejection_accept", {"p_x": p_x, "q_x": q_x, "u": u})


def _categorical_calls() -> Iterator[Call]:
    """Yield vectors with gaps at the front, inside and at the end, with uniforms at each running sum."""
    vectors: list[Vector] = [(1.0,), (0.0, 0.5, 0.5), (0.5, 0.0, 0.5), (0.25, 0.25, 0.0, 0.5, 0.0)]
    vectors += [(0.1,) * 10, (0.1,) * 10 + (0.0,), (0.0,) + (0.1,) * 10 + (0.0, 0.0), _normalized((1, 2, 4))]
    for p in vectors:
        edges = [u for running in itertools.accumulate(p) for u in _around(running)]
        for u in dict.fromkeys([0.0, 0.3, *edges, BELOW_ONE]):
            yield Call("sample_categorical", {"p": list(p), "u": u})


def _step_calls(p: Vector, q: Vector) -> Iterator[Call]:
    """Yield each draft that ``q`` can propose: kept, at its ratio, and rejected with several replacements."""
    for x in [x for x, mass in enumerate(q) if mass > 0.0][:4]:
        ratio = p[x] / q[x]
        uniforms = [(0.4, 0.75), (ratio, 0.25), (0.9, 0.9), (0.75, 0.55), (BELOW_ONE, BELOW_ONE)]
        for u_accept, u_resample in uniforms:
            if 0.0 <= u_accept < 1.0:
                args = {"p": list(p), "q": list(q), "x": x, "u_accept": u_accept, "u_resample": u_resample}
                yield Call("speculative_step", args)


def _sample_calls() -> Iterator[Call]:
    """Yield von Neumann runs of one to four tries, loose and exact envelopes, and one that gives up."""
    streams = [[0.1, 0.1], [0.6, 0.1], [0.1, 0.9, 0.9, 0.1], [0.9, 0.95, 0.2, 0.97, 0.8, 0.2], [0.1, 0.5, 0.4, 0.2]]
    pairs: list[Pair] = [((0.25, 0.75), (0.5, 0.5)), SECOND_HAND, ((0.5, 0.5), (0.5, 0.5)), ((0.0, 1.0), (0.5, 0.5))]
    pairs += [((0.625, 0.125, 0.25), (0.25, 0.25, 0.5)), (_normalized((1, 2, 4)), _normalized((3, 2, 1)))]
    for p, q in pairs:
        exact = max(p_i / q_i for p_i, q_i in zip(p, q, strict=True) if q_i > 0.0)
        for m in dict.fromkeys([exact, 1.5 * exact, 4.0 * exact]):
            for stream in streams:
                script = [*stream, 0.6, 0.0]
                yield Call("rejection_sample", {"p": list(p), "q": list(q), "m": m, "rng": script})
    for p, q in _exact_envelopes():
        exact = max(p_i / q_i for p_i, q_i in zip(p, q, strict=True))
        yield Call("rejection_sample", {"p": list(p), "q": list(q), "m": exact, "rng": [0.1, 0.0]})
    args = {"p": [0.25, 0.75], "q": [0.5, 0.5], "m": 1.5}
    yield Call("rejection_sample", {**args, "rng": [0.1, 0.9, 0.2, 0.9], "max_tries": 2})
    yield Call("rejection_sample", {**args, "rng": [0.1, 0.9], "max_tries": 1})
    yield Call("rejection_sample", {**args, "rng": [0.1, 0.1], "max_tries": 1})


def _exact_envelopes() -> list[Pair]:
    """Return small pairs whose exact envelope ``max(p_i / q_i)`` a product would round below some ``p_i``."""
    vectors = [_normalized(weights) for weights in itertools.product((1, 2, 3, 5, 7), repeat=2)]
    found = []
    for p, q in itertools.product(vectors, repeat=2):
        exact = max(p_i / q_i for p_i, q_i in zip(p, q, strict=True))
        if any(p_i > exact * q_i for p_i, q_i in zip(p, q, strict=True)):
            found.append((p, q))
    return found[:6]


def _refused_calls() -> Iterator[Call]:
    """Yield calls that break exactly one rule of the contract each."""
    accept = {"p_x": 0.25, "q_x": 0.5, "u": 0.25}
    for name, values in {
        "p_x": (-0.25, -5e-324, NAN, INF, -INF),
        "q_x": (0.0, -0.5, NAN, INF, -INF),
        "u": (1.0, -5e-324, -0.5, 1.5, NAN, INF),
    }.items():
        yield from (Call("rejection_accept", {**accept, name: value}) for value in values)
    yield Call("rejection_accept", {"p_x": 0.0, "q_x": 0.0, "u": 0.99})
    good = [0.5, 0.5]
    bad: list[list[Any]] = [[0.5, 0.6], [0.5, 0.5 + 1e-8], [0.4, 0.5], [1.5, -0.5], [NAN, 1.0], [[0.5, 0.5]]]
    unequal = [([0.5, 0.5, 0.0], good), (good, [0.5, 0.5, 0.0]), ([1.0], good), ([0.25, 0.25, 0.5], [0.5, 0.5])]
    extras: dict[str, dict[str, Any]] = {
        "acceptance_probability": {},
        "residual_distribution": {},
        "speculative_step": {"x": 0, "u_accept": 0.25, "u_resample": 0.5},
        "rejection_sample": {"m": 4.0, "rng": [0.1, 0.1]},
    }
    for function, extra in extras.items():
        for vector in bad:
            yield Call(function, {"p": vector, "q": good, **extra})
            yield Call(function, {"p": good, "q": vector, **extra})
        yield from (Call(function, {"p": one, "q": other, **extra}) for one, other in unequal)
    yield from (Call("sample_categorical", {"p": vector, "u": 0.25}) for vector in [[], [INF, 0.5], *bad])
    yield from (Call("sample_categorical", {"p": good, "u": u}) for u in (1.0, -5e-324, -1.0, 2.0, NAN, INF))
    hand = {"p": list(HAND[0]), "q": list(HAND[1]), "x": 1, "u_accept": 0.75, "u_resample": 0.25}
    for name, numbers in {"x": (-1, -4, 4, 2), "u_accept": (1.0, -0.5, NAN), "u_resample": (1.0, -0.5, NAN)}.items():
        yield from (Call("speculative_step", {**hand, name: number}) for number in numbers)
    yield from (Call("speculative_step", {**hand, "x": x}) for x in (0.5, 1.0, "1", None))
    yield from (Call("speculative_step", {**hand, "u_accept": 0.25, "u_resample": u}) for u in (1.0, NAN))
    yield Call("speculative_step", {"p": good, "q": good, "x": -1, "u_accept": 0.5, "u_resample": 0.5})
    coin = {"p": [0.25, 0.75], "q": good, "m": 1.5, "rng": [0.1, 0.1]}
    yield from (Call("rejection_sample", {**coin, "m": m}) for m in (0.5, 0.0, -2.0, NAN, INF, 1.4, 1.0))
    yield from (Call("rejection_sample", {**coin, "max_tries": tries}) for tries in (0, -1))
    yield Call("rejection_sample", {"p": good, "q": [1.0, 0.0], "m": 2.0, "rng": [0.1, 0.1]})
    yield Call("rejection_sample", {"p": list(HAND[0]), "q": list(HAND[1]), "m": 4.0, "rng": [0.1, 0.1]})
