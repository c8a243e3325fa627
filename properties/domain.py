"""The bounded domain D: a finite list of calls, smallest first, on which two implementations are compared."""

import hashlib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from acidtest.properties.call import (
    BELOW_ONE,
    Call,
    Pair,
    Vector,
    around,
    envelope,
    normalized,
    residual,
    running_sums,
)
from acidtest.properties.corners import corner_calls
from acidtest.properties.refusals import one_rule_broken
from acidtest.properties.vectors import (
    HAND,
    SECOND_HAND,
    all_eighths,
    close_pairs,
    on_grid,
    rough_pairs,
    sampled_eighths,
    tight_envelopes,
)

_SEEDS = (0, 1, 42, 2**32 - 1, 2**32, 2**63, 2**64 - 1, 2**64, -1)
_STREAMS = (0, 1, 54, 2**31, 2**62, 2**63 - 1, 2**63, -1)


@cache
def domain() -> tuple[Call, ...]:
    """Return D in ascending size, always the same calls.

    All pairs of eighths with up to three ids and a stated sample with four to six; near-equal and non-dyadic pairs,
    some with eight ids and more; every uniform at a breakpoint, with both float neighbours; scripted streams for the
    sampler; other types that convert; each rule of the contract broken alone; and the corners where single ids, tiny
    masses, long vectors and narrow numbers decide. No call breaks two rules.
    """
    parts = (_accept(), _vectors(), _pairs(), _steps(), _samples(), _generators(), one_rule_broken(), corner_calls())
    distinct = {(call.function, call.text): call for call in itertools.chain(*parts)}
    return tuple(sorted(distinct.values(), key=lambda call: call.size))


@cache
def domain_hash() -> str:
    """Return a short name of D that changes whenever one of its calls does."""
    digest = hashlib.sha256()
    for call in domain():
        digest.update(f"{call.function} {call.text}\n".encode())
    return digest.hexdigest()[:16]


def all_pairs() -> Iterator[Pair]:
    """Yield the pairs that D is built on."""
    yield from all_eighths()
    yield from sampled_eighths()
    yield from close_pairs()
    yield from rough_pairs()


def _accept() -> Iterator[Call]:
    """Yield ratios of every kind, each with uniforms at its edge and away from it."""
    eighths = [k / 8 for k in range(9)]
    ratios = [(p_x, q_x) for p_x in eighths for q_x in eighths[1:]]
    ratios += [(1.0, 0.1), (0.1, 0.3), (0.054, 0.811), (1 / 3, 0.7), (0.3, 0.9), (1e-17, 2e-17), (1e-6, 3e-6)]
    ratios += [(1e-300, 1.0), (1.0, 1e-300), (5e-324, 0.5), (5e-324, 1.0), (1.0, 5e-324), (3.0, 2.0), (2.0, 3.0)]
    ratios += [(k / 97, (k * 31 % 89 + 1) / 90) for k in range(1, 97, 2)]
    for p_x, q_x in ratios:
        for u in dict.fromkeys([*around(p_x / q_x), 0.0, 0.3, 0.75, BELOW_ONE]):
            yield Call("rejection_accept", {"p_x": p_x, "q_x": q_x, "u": u})
    for p_x, q_x, u in ((1, 2, 0), (0, 1, 0), (1, 1, 0)):
        yield Call("rejection_accept", {"p_x": p_x, "q_x": q_x, "u": u})
    for name in ("p_x", "q_x", "u"):
        yield Call("rejection_accept", {"p_x": 0.5, "q_x": 0.5, "u": 0.25, name: {"float64": 0.5}})
    numpy = {"p_x": {"float64": 0.25}, "q_x": {"float64": 0.5}, "u": {"float64": 0.25}}
    yield Call("rejection_accept", numpy)


def _vectors() -> Iterator[Call]:
    """Yield vectors with gaps at the front, inside and at the end, with uniforms at each running sum."""
    vectors: list[Vector] = [vector for ids in (1, 2, 3) for vector in on_grid(ids, 8)]
    vectors += [p for pair in sampled_eighths()[:40] for p in pair]
    vectors += [p for pair in (*close_pairs(), *rough_pairs()) for p in pair]
    vectors += [(0.1,) * 10 + (0.0,), (0.0,) + (0.1,) * 10 + (0.0, 0.0), (0.25, 0.25, 0.0, 0.5, 0.0)]
    vectors += [(0.5, 0.5 - 9e-10), (0.5, 0.5 - 9e-10, 0.0), (0.0, 0.5, 0.5 - 9e-10), (0.5 + 9e-10, 0.5)]
    for p in vectors:
        yield Call("as_distribution", {"name": "p", "values": list(p)})
        edges = [u for running in running_sums(p) for u in around(running)]
        for u in dict.fromkeys([0.0, 0.3, *edges, BELOW_ONE]):
            yield Call("sample_categorical", {"p": list(p), "u": u})


def _pairs() -> Iterator[Call]:
    for p, q in all_pairs():
        yield Call("acceptance_probability", {"p": list(p), "q": list(q)})
        yield Call("residual_distribution", {"p": list(p), "q": list(q)})


def _steps() -> Iterator[Call]:
    """Yield each draft that ``q`` can propose: kept, at the edge of its ratio, and replaced by each id there is."""
    for p, q in all_pairs():
        replacements = _replacements(p, q)
        for x in [x for x, mass in enumerate(q) if mass > 0.0][:6]:
            ratio = p[x] / q[x]
            uniforms = [(u, 0.5) for u in (0.0, *around(ratio), BELOW_ONE)]
            if ratio < 1.0:
                uniforms += [(BELOW_ONE, u) for u in replacements]
                uniforms += [(max(0.75, ratio), 0.25), (max(0.9, ratio), 0.6)]
            for u_accept, u_resample in dict.fromkeys(uniforms):
                args = {"p": list(p), "q": list(q), "x": x, "u_accept": u_accept, "u_resample": u_resample}
                yield Call("speculative_step", args)


def _replacements(p: Vector, q: Vector) -> Sequence[float]:
    """Return the uniforms at each step of the residual's running sums, those on both sides, and the two ends."""
    sums = running_sums(residual(p, q))
    inner = dict.fromkeys(u for running in sums for u in around(running) if 0.0 < running < 1.0)
    few = list(inner) if len(inner) <= 12 else list(inner)[:: len(inner) // 12]
    return list(dict.fromkeys([0.0, *few, BELOW_ONE]))


def _samples() -> Iterator[Call]:
    """Yield von Neumann runs: each proposal at its edges, each threshold at its own, loose and exact envelopes."""
    pairs = [pair for ids in (1, 2) for pair in itertools.product(on_grid(ids, 8), repeat=2)]
    pairs += [pair for pair in all_eighths() if len(pair[0]) == 3][::16]
    pairs += [HAND, SECOND_HAND, *sampled_eighths()[2::6], *close_pairs(), *rough_pairs()[:20]]
    for p, q in pairs:
        exact = envelope(p, q)
        if exact is None or exact < 1.0:
            continue
        for m in (exact, 2.0 * exact):
            for script in _scripts(p, q, m):
                yield Call("rejection_sample", {"p": list(p), "q": list(q), "m": m, "rng": script})
    for p, q in tight_envelopes():
        yield Call("rejection_sample", {"p": list(p), "q": list(q), "m": envelope(p, q), "rng": [0.1, 0.0]})
    yield from _longer_runs()


def _scripts(p: Vector, q: Vector, m: float) -> Iterator[list[float]]:
    """Yield streams that keep the first proposal or the second; unread uniforms at the end are allowed."""
    sums = running_sums(q)
    inside = {x: min((sums[x] + (sums[x - 1] if x else 0.0)) / 2, BELOW_ONE) for x, mass in enumerate(q) if mass > 0.0}
    best = max(inside, key=lambda x: p[x] / q[x])
    tail = [inside[best], 0.0]
    for x, proposal in itertools.islice(inside.items(), 6):
        for u in dict.fromkeys(around(p[x] / (m * q[x]))):
            yield [proposal, u, *tail]
    for proposal in dict.fromkeys([0.0, *(u for running in sums[:6] for u in around(running)), BELOW_ONE]):
        yield [proposal, 0.0, *tail]
    yield [0.1, 0.9, 0.9, 0.1, *tail]


def _longer_runs() -> Iterator[Call]:
    """Yield runs of up to four tries, and runs that end at or just before the last try allowed."""
    streams = [[0.1, 0.1], [0.6, 0.1], [0.1, 0.9, 0.9, 0.1], [0.9, 0.95, 0.2, 0.97, 0.8, 0.2], [0.1, 0.5, 0.4, 0.2]]
    pairs: list[Pair] = [((0.25, 0.75), (0.5, 0.5)), SECOND_HAND, ((0.5, 0.5), (0.5, 0.5)), ((0.0, 1.0), (0.5, 0.5))]
    pairs += [((0.625, 0.125, 0.25), (0.25, 0.25, 0.5)), (normalized((1, 2, 4)), normalized((3, 2, 1)))]
    for (p, q), stream in itertools.product(pairs, streams):
        m = 1.5 * max(p_i / q_i for p_i, q_i in zip(p, q, strict=True) if q_i > 0.0)
        yield Call("rejection_sample", {"p": list(p), "q": list(q), "m": m, "rng": [*stream, 0.6, 0.0]})
    coin = {"p": [0.25, 0.75], "q": [0.5, 0.5], "m": 1.5}
    for tries in (1, 2, 3):
        yield Call("rejection_sample", {**coin, "rng": [0.1, 0.9] * tries, "max_tries": tries})
        yield Call("rejection_sample", {**coin, "rng": [*[0.1, 0.9] * (tries - 1), 0.1, 0.1], "max_tries": tries})
        yield Call("rejection_sample", {**coin, "rng": [*[0.1, 0.9] * (tries - 1), 0.9, 0.1], "max_tries": tries})
    yield Call("rejection_sample", {**coin, "rng": [*[0.1, 0.9] * 20, 0.9, 0.1]})


def _generators() -> Iterator[Call]:
    """Yield generators by seed and stream, and how many outputs are read."""
    for function, counts in (("PCG32.next_uint32", (1, 2, 6)), ("PCG32.random", (1, 3))):
        for seed, stream, count in itertools.product(_SEEDS, _STREAMS, counts):
            yield Call(function, {"seed": seed, "stream": stream, "count": count})


def of(functions: Iterable[str]) -> tuple[Call, ...]:
    """Return the calls of D that are of these functions, in D's order."""
    wanted = frozenset(functions)
    return tuple(call for call in domain() if call.function in wanted)
