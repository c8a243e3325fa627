"""Calls at no edge at all: here a mistake that is not catalogued shows that it is not the entry it resembles.

An entry about edges answers ordinary calls like the reference. Whoever keeps too many drafts everywhere agrees with it
at the edges too, and is told from it here.
"""

import itertools
from collections.abc import Iterator
from typing import Any

from acidtest.properties.call import Call, Pair, envelope, normalized
from acidtest.properties.vectors import HAND, SECOND_HAND, rough_pairs, sampled_eighths

BETWEEN = (0.03, 0.1, 0.22, 0.35, 0.47, 0.58, 0.7, 0.83, 0.97)
"""Uniforms that lie on no step of a running sum of eighths, nor of a residual of eighths."""

PAIRS: tuple[Pair, ...] = (
    ((0.25, 0.75), (0.5, 0.5)),
    ((0.875, 0.125), (0.25, 0.75)),
    ((0.5, 0.125, 0.375), (0.125, 0.625, 0.25)),
    ((0.125, 0.25, 0.625), (0.5, 0.375, 0.125)),
    ((0.0, 0.625, 0.375), (0.5, 0.125, 0.375)),
    HAND,
    SECOND_HAND,
    ((0.125, 0.375, 0.125, 0.25, 0.125), (0.25, 0.125, 0.375, 0.125, 0.125)),
    (normalized((3, 1, 5, 2)), normalized((2, 4, 1, 6))),
)


def ordinary_calls() -> Iterator[Call]:
    """Yield the calls, always the same; no call breaks a rule, and the last ones reject where nothing is left."""
    for (p_x, q_x), u in itertools.product(
        ((0.125, 0.5), (0.25, 0.75), (0.375, 0.5), (0.625, 0.75), (0.5, 0.25), (0.875, 0.125), (0.75, 0.625)), BETWEEN
    ):
        yield Call("rejection_accept", {"p_x": p_x, "q_x": q_x, "u": u})
    for p, q in (*PAIRS, *((q, p) for p, q in PAIRS), *sampled_eighths()[2:62:3], *rough_pairs()[-10:]):
        yield Call("acceptance_probability", {"p": list(p), "q": list(q)})
        yield Call("residual_distribution", {"p": list(p), "q": list(q)})
    for p, q in PAIRS:
        for x, u in itertools.product((x for x, mass in enumerate(q) if mass > 0.0), (0.1, 0.35, 0.83)):
            for v in (0.22, 0.47, 0.7):
                args: dict[str, Any] = {"p": list(p), "q": list(q), "x": x, "u_accept": u, "u_resample": v}
                yield Call("speculative_step", args)
        for u in BETWEEN[::2]:
            yield Call("sample_categorical", {"p": list(p), "u": u})
        yield from _runs(p, q)
    for tiny, u in itertools.product((1e-17, 1e-30, 5e-324), (0.58, 0.7, 0.97)):
        args = {"p": [1.0, tiny], "q": [1.0, 2 * tiny], "x": 1, "u_accept": u, "u_resample": 0.35}
        yield Call("speculative_step", args)


def _runs(p: tuple[float, ...], q: tuple[float, ...]) -> Iterator[Call]:
    """Yield runs of a few tries under an envelope with room to spare, where there is one."""
    exact = envelope(p, q)
    if exact is None:
        return
    end = [0.03, 0.0, 0.35, 0.0, 0.58, 0.0, 0.83, 0.0]
    for m, stream in itertools.product(
        (1.25 * exact, 3.0 * exact),
        ([0.1, 0.22], [0.58, 0.1], [0.83, 0.47, 0.35, 0.03], [0.22, 0.7, 0.97, 0.35, 0.47, 0.1]),
    ):
        yield Call("rejection_sample", {"p": list(p), "q": list(q), "m": m, "rng": [*stream, *end]})
