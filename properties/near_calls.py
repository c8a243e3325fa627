"""Calls close to those where rare mistakes show, so that each such mistake shows more than a few times.

The bounded domain has a call or a few for a mistake that only tiny masses, long vectors or exhausted tries can show.
That is enough to tell it from right. To recognize it in a stranger's answers takes more: ten calls that it answers in
its own way, and between them calls that a neighbouring mistake answers otherwise.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

from acidtest.properties.call import BELOW_ONE, Call, Pair, Vector, around, normalized, residual, running_sums
from acidtest.properties.vectors import HAND, SECOND_HAND, on_grid

COIN: dict[str, Any] = {"p": [0.25, 0.75], "q": [0.5, 0.5], "m": 1.5}
PAIRS: tuple[Pair, ...] = (
    HAND,
    SECOND_HAND,
    ((0.25, 0.75), (0.5, 0.5)),
    ((0.625, 0.125, 0.25), (0.25, 0.25, 0.5)),
    ((0.125, 0.5, 0.375), (0.5, 0.25, 0.25)),
    ((0.0, 0.25, 0.125, 0.625), (0.375, 0.375, 0.125, 0.125)),
)


def near_calls() -> Iterator[Call]:
    """Yield the calls, always the same in the same order; each is right, or breaks exactly one rule."""
    yield from _ratios()
    yield from _little_mass()
    yield from _long_sums()
    yield from _lengths()
    yield from _drafts()
    yield from _short_sums()
    yield from _last_tries()
    yield from _envelopes()


def _ratios() -> Iterator[Call]:
    """Yield uniforms at and just beside ratios: by a float, by small parts of it; and drafts without mass."""
    masses = [(k / 37, (k * 11 % 31 + 3) / 40) for k in range(1, 37)] + [(1 / 3, 0.7), (0.054, 0.811), (0.3, 0.9)]
    for p_x, q_x in masses:
        ratio = p_x / q_x
        near = (ratio * (1.0 - gap) for gap in (1e-9, 1e-7, 3e-6, 3e-5, 1e-3))
        for u in (u for u in (*around(ratio), *near) if u < 1.0):
            yield Call("rejection_accept", {"p_x": p_x, "q_x": q_x, "u": u})
        for u in (u for u in around(q_x / p_x) if ratio > 1.0):
            yield Call("rejection_accept", {"p_x": p_x, "q_x": q_x, "u": u})
    for k, parts in itertools.product(range(1, 60), (61, 83)):
        p_x, q_x = k / 89, (k * 31 % parts + 1) / 90
        if p_x / q_x < 1.0 and p_x / q_x * q_x != p_x:
            yield Call("rejection_accept", {"p_x": p_x, "q_x": q_x, "u": p_x / q_x})
    for p_x in (0.0, 5e-324, 1e-300, 0.125, 0.5, 1.0):
        for u in (0.0, 0.25, 0.5, 0.75, BELOW_ONE):
            yield Call("rejection_accept", {"p_x": p_x, "q_x": 0.0, "u": u})
            yield Call("rejection_accept", {"p_x": p_x, "q_x": -0.5, "u": u})


def _little_mass() -> Iterator[Call]:
    """Yield pairs whose excess is small, by powers of ten, or none although the two differ; and equal pairs."""
    for base in ((0.5, 0.5), (0.25, 0.5, 0.25), (0.125, 0.375, 0.25, 0.25)):
        for power, factor in itertools.product(range(2, 17), (1.0, 3.0)):
            gap = factor * 10.0**-power
            moved = (base[0] + gap, *base[1:-1], base[-1] - gap)
            yield from _of_a_pair(moved, base)
            yield from _of_a_pair(base, moved)
    tinies = (1e-17, 3e-17, 1e-20, 1e-30, 1e-100, 1e-300, 5e-324)
    for tiny, ones in itertools.product(tinies, ((1.0,), (0.5, 0.5), (0.25, 0.75))):
        yield from _of_a_pair((*ones, tiny), (*ones, 2 * tiny))
        yield from _of_a_pair((*ones, 2 * tiny), (*ones, tiny))
        yield from _of_a_pair((*ones, 0.0), (*ones, tiny))
    for ids in (1, 2, 3, 4, 5):
        for vector in on_grid(ids, 8)[:: 2 * ids]:
            yield Call("residual_distribution", {"p": list(vector), "q": list(vector)})
    for weights in ((1, 2, 4), (3, 0, 5, 2), (9, 86, 3, 54, 8, 30, 48, 42)):
        yield Call("residual_distribution", {"p": list(normalized(weights)), "q": list(normalized(weights))})


def _of_a_pair(p: Sequence[float], q: Sequence[float]) -> Iterator[Call]:
    yield Call("residual_distribution", {"p": list(p), "q": list(q)})
    x = min(range(len(p)), key=lambda index: p[index] - q[index])
    for u in (0.2, 0.7):
        yield Call("speculative_step", {"p": list(p), "q": list(q), "x": x, "u_accept": BELOW_ONE, "u_resample": u})


def _long_sums() -> Iterator[Call]:
    """Yield pairs of eight to sixteen ids whose excess sums to other floats in other orders, and draws at its edges."""
    for ids, step, other in itertools.product((8, 9, 12, 16), (7, 11, 13, 17, 23), (3, 5, 19, 29, 31)):
        p, q = _walk(ids, step, 2, 97), _walk(ids, other, 5, 89)
        excess = [max(0.0, p_i - q_i) for p_i, q_i in zip(p, q, strict=True)]
        if running_sums(excess)[-1] == math.fsum(excess):
            continue
        yield Call("acceptance_probability", {"p": list(p), "q": list(q)})
        yield Call("residual_distribution", {"p": list(p), "q": list(q)})
        x = min(range(len(p)), key=lambda index: p[index] - q[index])
        for u in [u for running in running_sums(residual(p, q))[:-1:3] for u in around(running)]:
            step_args = {"p": list(p), "q": list(q), "x": x, "u_accept": BELOW_ONE, "u_resample": u}
            yield Call("speculative_step", step_args)


def _walk(ids: int, step: int, start: int, modulus: int) -> Vector:
    return normalized([1 + (start + step * i) % modulus for i in range(ids)])


def _lengths() -> Iterator[Call]:
    """Yield two distributions of different length, the shorter one a beginning of the longer and not."""
    shorter: tuple[Vector, ...] = ((1.0,), (0.5, 0.5), (0.25, 0.75), (0.5, 0.25, 0.25))
    for vector, other in itertools.product(shorter, shorter):
        for longer in ((*other, 0.0), (*other, 0.0, 0.0), (0.0, *other)):
            if len(longer) != len(vector):
                for function in ("acceptance_probability", "residual_distribution"):
                    yield Call(function, {"p": list(longer), "q": list(vector)})
                    yield Call(function, {"p": list(vector), "q": list(longer)})


def _drafts() -> Iterator[Call]:
    """Yield drafts below 0 and past the end; kept drafts whose second uniform is none; drafts and both uniforms."""
    for p, q in PAIRS:
        ids = len(p)
        step: dict[str, Any] = {"p": list(p), "q": list(q)}
        for x, u in itertools.product((*range(-ids - 1, 0), ids, ids + 1), (0.0, 0.25)):
            yield Call("speculative_step", {**step, "x": x, "u_accept": u, "u_resample": 0.5})
        for x in (x for x in range(ids) if p[x] > 0.0 < q[x]):
            for u in (math.nan, 1.0, -0.5, math.inf):
                yield Call("speculative_step", {**step, "x": x, "u_accept": 0.0, "u_resample": u})
                yield Call("speculative_step", {**step, "x": x, "u_accept": p[x] / q[x] / 2 % 1.0, "u_resample": u})
        for x in (x for x in range(ids) if q[x] > 0.0):
            for u, v in itertools.product((0.1, 0.35, 0.6, 0.85, BELOW_ONE), (0.05, 0.3, 0.55, 0.8, BELOW_ONE)):
                yield Call("speculative_step", {**step, "x": x, "u_accept": u, "u_resample": v})


def _short_sums() -> Iterator[Call]:
    """Yield draws behind the last running sum, of vectors that end in ids without mass, and at running sums."""
    for ids, gaps in itertools.product((10, 20, 30), (0, 1, 2)):
        vector = [1.0 / ids] * ids + [0.0] * gaps
        last = running_sums(vector)[-1]
        for u in (u for u in dict.fromkeys([last, BELOW_ONE]) if u < 1.0):
            yield Call("sample_categorical", {"p": vector, "u": u})
            yield Call("sample_categorical", {"p": [0.0, *vector], "u": u})
    for short in ([0.5, 0.5 - 9e-10, 0.0], [0.25, 0.25, 0.5 - 5e-10, 0.0, 0.0], [0.0, 1.0 - 5e-10, 0.0]):
        for u in (running_sums(short)[-1], 1.0 - 1e-10, BELOW_ONE):
            yield Call("sample_categorical", {"p": short, "u": u})
            yield Call("rejection_sample", {"p": short, "q": short, "m": 1.0, "rng": [u, 0.0]})
    for p, q in PAIRS:
        for u in (u for running in (0.0, *running_sums(p)) for u in around(running)):
            yield Call("sample_categorical", {"p": list(p), "u": u})
            yield Call("sample_categorical", {"p": list(q), "u": u})


def _last_tries() -> Iterator[Call]:
    """Yield runs whose tries are used up, and runs that keep a proposal at the last try or the one before it."""
    for p, q in PAIRS:
        if any(p_i > 0.0 == q_i for p_i, q_i in zip(p, q, strict=True)):
            continue
        m = 2.0 * max(p_i / q_i for p_i, q_i in zip(p, q, strict=True) if q_i > 0.0)
        best = max((x for x in range(len(p)) if q[x] > 0.0), key=lambda x: p[x] / q[x])
        keep = (running_sums(q)[best] + (running_sums(q)[best - 1] if best else 0.0)) / 2
        refuse = [[0.05, 0.99], [0.6, 0.95], [0.95, 0.9], [0.3, 0.97]]
        for tries in (1, 2, 3, 4):
            tired = list(itertools.chain.from_iterable(refuse[:tries]))
            run: dict[str, Any] = {"p": list(p), "q": list(q), "m": m}
            yield Call("rejection_sample", {**run, "rng": tired, "max_tries": tries})
            yield Call("rejection_sample", {**run, "rng": [*tired[:-2], keep, 0.0], "max_tries": tries})
            yield Call("rejection_sample", {**run, "rng": [*tired, keep, 0.0], "max_tries": tries + 1})
            yield Call("rejection_sample", {**run, "rng": [*tired, keep, 0.0]})


def _envelopes() -> Iterator[Call]:
    """Yield envelopes around the exact one, a little and much too small, and ids that only the target has."""
    for p, q in PAIRS:
        ratios = [p_i / q_i for p_i, q_i in zip(p, q, strict=True) if q_i > 0.0]
        lacking = any(p_i > 0.0 == q_i for p_i, q_i in zip(p, q, strict=True))
        for factor in (0.55, 0.9, 1.0 - 1e-6, 1.0, 1.0 + 1e-6, 1.25, 2.0):
            m = max(ratios) * factor
            for stream in ([0.1, 0.1, 0.9, 0.1], [0.6, 0.4, 0.2, 0.6, 0.9, 0.0], [0.9, 0.7, 0.4, 0.3, 0.1, 0.0]):
                if m >= 1.0 and not (lacking and factor < 1.0):
                    script = [*stream, *[0.0, 0.0, 0.3, 0.0, 0.6, 0.0, 0.9, 0.0]]
                    yield Call("rejection_sample", {"p": list(p), "q": list(q), "m": m, "rng": script})
    for target, proposal in (
        ([0.5, 0.5], [1.0, 0.0]),
        ([0.25, 0.75], [0.0, 1.0]),
        ([0.5, 0.25, 0.25], [0.5, 0.5, 0.0]),
    ):
        for m, stream in itertools.product((1.0, 2.0, 8.0), ([0.1, 0.0], [0.9, 0.1, 0.2, 0.0])):
            yield Call("rejection_sample", {"p": target, "q": proposal, "m": m, "rng": [*stream, 0.4, 0.0]})
