"""Calls of D at the corners: where a tiny mass, a long vector, a narrow number or the last try allowed decides."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from acidtest.properties.call import BELOW_ONE, Call, Pair, around, normalized, residual, running_sums
from acidtest.properties.cases import BILLIONTH_EDGES, TINY
from acidtest.properties.vectors import long_pairs

TENTHS = (0.1,) * 10
SMALL = (1e-13, 1e-16, 1e-17, 1e-20, 1e-30, 1e-40, 1e-200, 1e-310, TINY)
MAX_TRIES = 10000


def corner_calls() -> Iterator[Call]:
    """Yield the corners of every function; each call is right, or breaks exactly one rule of the contract."""
    yield from _accept()
    yield from _vectors()
    yield from _small_masses()
    yield from _sums_near_one()
    yield from _long_vectors()
    yield from _replacements()
    yield from _steps()
    yield from _proposals()
    yield from _samples()
    yield from _generators()


def _accept() -> Iterator[Call]:
    """Yield ratios that overflow, masses above 1, and masses and uniforms in float32 and in numpy's float64."""
    for q_x in (TINY, 1e-309):
        yield Call("rejection_accept", {"p_x": 1.0, "q_x": q_x, "u": 0.5})
        yield Call("rejection_accept", {"p_x": {"float64": 1.0}, "q_x": {"float64": q_x}, "u": 0.5})
    for u in (0.5, BELOW_ONE):
        yield Call("rejection_accept", {"p_x": 1.0000000005, "q_x": 1.0, "u": u})
        yield Call("rejection_accept", {"p_x": 1.0, "q_x": 1.0000000005, "u": u})
    for u in (0.3333333250549107, 0.3333333333333333, 0.3333333432674408):
        yield Call("rejection_accept", {"p_x": {"float32": 0.1}, "q_x": {"float32": 0.3}, "u": u})
    yield Call("rejection_accept", {"p_x": 0.7, "q_x": 1.0, "u": {"float32": 0.7}})
    yield Call("rejection_accept", {"p_x": 0.3, "q_x": 1.0, "u": {"float32": 0.3}})


def _vectors() -> Iterator[Call]:
    """Yield draws of tiny masses, at float32 uniforms, and from sums that miss 1; and a single id without mass 1."""
    for tiny in SMALL:
        for u in (0.0, tiny):
            yield Call("sample_categorical", {"p": [tiny, 1.0], "u": u})
        yield Call("sample_categorical", {"p": [*TENTHS, tiny], "u": BELOW_ONE})
        yield Call("sample_categorical", {"p": [*TENTHS, 0.0, tiny, 0.0], "u": BELOW_ONE})
    for p in ([0.7, 0.3], [0.3, 0.7]):
        yield Call("sample_categorical", {"p": p, "u": {"float32": p[0]}})
    yield Call("sample_categorical", {"p": [0.5, 0.5 + 8e-10], "u": 0.5 - 1e-10})
    yield Call("sample_categorical", {"p": [0.5, 0.5 + 8e-10], "u": 0.4999999999})
    for mass in (0.5, 2.0):
        yield Call("as_distribution", {"name": "p", "values": [mass]})
        yield Call("sample_categorical", {"p": [mass], "u": 0.25})
        for function in ("acceptance_probability", "residual_distribution"):
            yield Call(function, {"p": [mass], "q": [1.0]})
            yield Call(function, {"p": [1.0], "q": [mass]})


def _small_masses() -> Iterator[Call]:
    """Yield pairs with a mass of every small size: above zero it counts, below zero it is refused."""
    for tiny in SMALL:
        for p, q in (([1.0, tiny], [1.0, 0.0]), ([1.0, 0.0, tiny], [1.0, tiny, 0.0]), ([1.0, tiny], [tiny, 1.0])):
            yield Call("acceptance_probability", {"p": p, "q": q})
            yield Call("residual_distribution", {"p": p, "q": q})
        for u_accept in (0.0, 0.5):
            step = {"p": [1.0, 0.0, tiny], "q": [1.0, tiny, 0.0], "x": 1, "u_accept": u_accept, "u_resample": 0.5}
            yield Call("speculative_step", step)
        for function in ("acceptance_probability", "residual_distribution"):
            yield Call(function, {"p": [1.0, -tiny], "q": [1.0, 0.0]})
            yield Call(function, {"p": [1.0, 0.0], "q": [1.0, -tiny]})
        yield Call("rejection_sample", {"p": [1.0, tiny], "q": [1.0, 0.0], "m": 2.0, "rng": [0.1, 0.0]})
        yield Call("rejection_sample", {"p": [1.0, 3 * tiny], "q": [1.0, tiny], "m": 2.0, "rng": [0.1, 0.0]})
        yield Call("rejection_sample", {"p": [1.0, 2 * tiny], "q": [1.0, tiny], "m": 2.0, "rng": [0.1, 0.0]})
    yield Call("residual_distribution", {"p": {"float32": [0.5, 0.5]}, "q": {"float32": [0.5, 0.5]}})


def _sums_near_one() -> Iterator[Call]:
    """Yield vectors a billionth off 1, with few ids and with many, and sums at the very edge of it."""
    for weights, last, within in BILLIONTH_EDGES:
        vector = [*normalized(weights)[:-1], last]
        right = vector if within else list(normalized(weights))
        yield Call("as_distribution", {"name": "p", "values": vector})
        yield Call("sample_categorical", {"p": vector, "u": 0.25})
        for function in ("acceptance_probability", "residual_distribution"):
            yield Call(function, {"p": vector, "q": right})
            yield Call(function, {"p": right, "q": vector})
    flat = [0.025] * 40
    for last in (0.025000003, 0.024999997, 0.025 + 0.99e-9, 0.025 - 0.99e-9):
        yield Call("acceptance_probability", {"p": [*flat[:-1], last], "q": flat})
        yield Call("acceptance_probability", {"p": flat, "q": [*flat[:-1], last]})
        yield Call("as_distribution", {"name": "p", "values": [*flat[:-1], last]})


def _long_vectors() -> Iterator[Call]:
    """Yield long pairs, and draws at the front, inside and at the end of them."""
    for p, q in long_pairs():
        yield Call("acceptance_probability", {"p": list(p), "q": list(q)})
        yield Call("residual_distribution", {"p": list(p), "q": list(q)})
        left = running_sums(residual(p, q))
        for place in (0, len(p) // 2, len(p) - 1):
            for u in around(running_sums(p)[place])[:2]:
                yield Call("sample_categorical", {"p": list(p), "u": u})
            yield _rejected(p, q, min(left[place], BELOW_ONE))
    yield Call("sample_categorical", {"p": [0.0] * 600 + [1.0], "u": 0.5})


def _replacements() -> Iterator[Call]:
    """Yield rejected drafts at each running sum of residuals that are not dyadic, some of them p but for a rounding."""
    weights = [((9, 9, 2), (1, 6, 8)), ((1, 1, 1), (2, 8, 1)), ((1, 8, 8), (8, 6, 3))]
    pairs: list[Pair] = [(normalized(p), normalized(q)) for p, q in weights]
    pairs += [((*TENTHS, 0.0), (0.0,) * 10 + (1.0,)), ((0.0, *TENTHS), (1.0,) + (0.0,) * 10)]
    for p, q in pairs:
        edges = [u for running in running_sums(residual(p, q)) for u in around(running)]
        for u in dict.fromkeys([0.0, *edges, BELOW_ONE]):
            yield _rejected(p, q, u)


def _rejected(p: Sequence[float], q: Sequence[float], u_resample: float) -> Call:
    """Return a step that rejects the draft that ``q`` proposes too often by most."""
    x = min(range(len(p)), key=lambda index: p[index] - q[index])
    args = {"p": list(p), "q": list(q), "x": x, "u_accept": BELOW_ONE, "u_resample": u_resample}
    return Call("speculative_step", args)


def _steps() -> Iterator[Call]:
    """Yield drafts and uniforms out of range where p equals q, ids past 64 bits, and float32 uniforms."""
    same: dict[str, Any] = {"p": [0.5, 0.5], "q": [0.5, 0.5], "x": 0, "u_accept": 0.5, "u_resample": 0.5}
    for u in (math.nan, 1.0, -TINY):
        yield Call("speculative_step", {**same, "u_accept": u})
    for x in (2**63, 2**64, 2**64 + 1, 2**70, -(2**63), -(2**70)):
        yield Call("speculative_step", {**same, "x": x})
    for q in ([0.5, 0.5, 0.0], [0.25, 0.75, 0.0]):
        yield Call("speculative_step", {**same, "p": [0.5, 0.5, 0.0], "q": q, "x": 2})
    for u in (math.nan, 1.0, -TINY):
        args = {"p": [0.0, 1.0], "q": [1.0, 0.0], "x": 0, "u_accept": 0.0, "u_resample": u}
        yield Call("speculative_step", args)
    for name in ("u_accept", "u_resample"):
        args = {"p": [0.7, 0.3, 0.0], "q": [0.0, 0.0, 1.0], "x": 2, "u_accept": 0.5, "u_resample": 0.5}
        yield Call("speculative_step", {**args, name: {"float32": 0.7}})
    yield Call("speculative_step", {**same, "p": [0.7, 0.3], "q": [1.0, 0.0], "u_accept": {"float32": 0.7}})


def _proposals() -> Iterator[Call]:
    """Yield proposals at the running sums of q, gaps in front and behind, where its sum ends below 1."""
    for q in ((0.0, 1.0), (0.0, 0.5, 0.0, 0.5, 0.0), (*TENTHS, 0.0), (0.0, *TENTHS, 0.0, 0.0)):
        for u in dict.fromkeys([0.0, *(u for running in running_sums(q) for u in around(running)), BELOW_ONE]):
            yield Call("rejection_sample", {"p": list(q), "q": list(q), "m": 1.0, "rng": [u, 0.0]})


def _samples() -> Iterator[Call]:
    """Yield tries whose outcome is known ahead, envelopes at the edge, of float32 and huge, and all the tries."""
    half = [0.5, 0.5]
    yield Call("rejection_sample", {"p": [0.0, 1.0], "q": half, "m": 2.0, "rng": [0.1, 0.0, 0.9, 0.9]})
    for script in ([0.1, 0.0], [0.9, BELOW_ONE]):
        yield Call("rejection_sample", {"p": half, "q": half, "m": 1.0, "rng": script})
    yield Call("rejection_sample", {"p": [1.0], "q": [1.0], "m": 1.0, "rng": [0.5, 0.5]})
    low, high = 0.5 - 2e-10, 0.5 + 2e-10
    for m in (1.0 - 2e-10, math.nextafter(1.0, 0.0), 1.0):
        yield Call("rejection_sample", {"p": [low, low], "q": [high, high], "m": m, "rng": [0.1, 0.0]})
    coin: dict[str, Any] = {"p": [0.25, 0.75], "q": half, "m": {"float32": 1.7}}
    threshold = 0.25 / (1.7000000476837158 * 0.5)  # the envelope 1.7 rounded to float32
    for u in (0.2941176388, math.nextafter(threshold, 0.0), threshold):
        yield Call("rejection_sample", {**coin, "rng": [0.1, u, 0.9, 0.0]})
    yield Call("rejection_sample", {**coin, "rng": [0.1, 0.2941176388]})
    for m in (1e7, 1e16, 1e300):
        yield Call("rejection_sample", {"p": half, "q": half, "m": m, "rng": [0.9, 0.0]})
    refused: dict[str, Any] = {"p": [0.0, 1.0], "q": half, "m": 2.0}
    yield Call("rejection_sample", {**refused, "rng": [0.1, 0.5] * 1000 + [0.9, 0.5]})
    yield Call("rejection_sample", {**refused, "rng": [0.1, 0.5] * MAX_TRIES + [0.9, 0.5]})
    yield Call("rejection_sample", {**refused, "rng": [0.9, 0.5], "max_tries": 2**70})


def _generators() -> Iterator[Call]:
    """Yield seeds and streams past 32 bits and of numpy's types, and outputs enough for every rotation."""
    yield Call("PCG32.next_uint32", {"seed": {"int64": 42}, "stream": {"int64": 54}, "count": 6})
    yield Call("PCG32.next_uint32", {"seed": {"uint64": 2**64 - 1}, "stream": {"uint8": 255}, "count": 6})
    yield Call("PCG32.random", {"seed": 2**32, "stream": 54, "count": 1})
    yield Call("PCG32.random", {"seed": 42, "stream": 2**32, "count": 1})
    yield Call("PCG32.next_uint32", {"seed": 42, "stream": 54, "count": 40})
    yield Call("PCG32.next_uint32", {"seed": 42, "stream": 54, "count": 250})
