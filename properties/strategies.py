"""Pairs of distributions worth trying, by family: what makes an implementation of the residual go wrong is in the pair.

A pair is built from two draws, a length and a block of bytes, so that drawing costs less than judging; every example is
a valid input, none is filtered away. Each pair is reported to Hypothesis by its features, and a test of this room
counts that each family really produces the features listed for it in ``FEATURES``.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import event, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

LENGTHS = (3, 4, 5, 2, 3, 4, 5, 3, 6, 8, 12, 1, 40)
"""How many ids: three to five most often, since with two ids half of the mistakes cannot show."""

Weights = list[float]
Build = Callable[[int, bytes], tuple[Weights, Weights]]


@dataclass(frozen=True, eq=False)
class Pair:
    """A target and a proposal over the same ids, both float64[n] and fresh for this example."""

    family: str
    p: NDArray[np.float64]
    q: NDArray[np.float64]

    @property
    def n(self) -> int:
        """Return the number of ids."""
        return len(self.p)


def examples(count: int) -> settings:
    """Return settings for ``count`` examples and no deadline: how long one takes is not what is tested."""
    return settings(max_examples=count, deadline=None)


def eighths(max_n: int = 40) -> st.SearchStrategy[Pair]:
    """Return pairs whose entries are multiples of 1/8, where the law of the mathematics can be enumerated."""
    return _family("eighths", _eighths, 16, max_n)


def wide(max_n: int = 40) -> st.SearchStrategy[Pair]:
    """Return pairs of float64 vectors with entries from about 1 down to 2**-500, none of them zero."""
    return _family("wide", _wide, 6, max_n, per_id=True)


def partial_zeros(max_n: int = 40) -> st.SearchStrategy[Pair]:
    """Return pairs in which ids lack mass in ``p``, in ``q`` or in both, while at least one has it in both."""
    return _family("partial zeros", _partial_zeros, 3, max_n, per_id=True)


def disjoint(max_n: int = 40) -> st.SearchStrategy[Pair]:
    """Return pairs of which no id has mass in both: every draft is rejected. At least two ids."""
    return _family("disjoint", _disjoint, 3, max_n, per_id=True, min_n=2)


def equal(max_n: int = 40) -> st.SearchStrategy[Pair]:
    """Return pairs of equal but separate vectors: no draft is rejected."""
    return _family("equal", _equal, 3, max_n, per_id=True)


def near_equal(max_n: int = 40) -> st.SearchStrategy[Pair]:
    """Return pairs that differ by moving 2**-1 to 2**-53 of an id's mass to another. At least two ids.

    In some of them only the loss is left, as if the gain had been rounded away: ``p`` exceeds ``q`` nowhere, although
    they differ.
    """
    return _family("near equal", _near_equal, 5, max_n, per_id=True, min_n=2)


def pairs(max_n: int = 40) -> st.SearchStrategy[Pair]:
    """Return pairs of all families."""
    return st.one_of(*(family(max_n) for family in FAMILIES.values()))


FAMILIES: dict[str, Callable[[int], st.SearchStrategy[Pair]]] = {
    "eighths": eighths,
    "wide": wide,
    "partial zeros": partial_zeros,
    "disjoint": disjoint,
    "equal": equal,
    "near equal": near_equal,
}

_EVERY = ("n = 1", "n = 2", "n = 3 to 7", "n = 8 to 39", "n = 40")
FEATURES: dict[str, tuple[str, ...]] = {
    "eighths": (
        *_EVERY,
        "one id gains",
        "gains differ",
        "gains are equal",
        "p == q",
        "no overlap",
        "gap before mass",
        "q lacks an id of p",
    ),
    "wide": (*_EVERY, "one id gains", "gains differ", "p == q"),
    "partial zeros": (*_EVERY, "one id gains", "gains differ", "p == q", "gap before mass", "q lacks an id of p"),
    "disjoint": (*_EVERY[1:], "one id gains", "gains differ", "no overlap", "gap before mass", "q lacks an id of p"),
    "equal": (*_EVERY, "p == q", "gap before mass"),
    "near equal": (*_EVERY[1:], "one id gains", "gains differ", "p != q, no gain"),
}
"""What each family has to produce; ``gains`` are the positive entries of p - q, which become the residual."""


def features(pair: Pair) -> tuple[str, ...]:
    """Return the names of what is special about a pair, in the words of ``FEATURES``."""
    p, q, n = pair.p.tolist(), pair.q.tolist(), pair.n
    found = ["n = 40" if n == 40 else "n = 8 to 39" if n >= 8 else "n = 3 to 7" if n >= 3 else f"n = {n}"]
    gains = [a - b for a, b in zip(p, q, strict=True) if a > b]
    if not gains:
        found.append("p == q" if p == q else "p != q, no gain")
    elif len(gains) == 1:
        found.append("one id gains")
    else:
        found.append("gains differ" if len(set(gains)) > 1 else "gains are equal")
    if not any(a > 0.0 and b > 0.0 for a, b in zip(p, q, strict=True)):
        found.append("no overlap")
    if any(before == 0.0 < after for mass in (p, q) for before, after in itertools.pairwise(mass)):
        found.append("gap before mass")
    if any(a > 0.0 == b for a, b in zip(p, q, strict=True)):
        found.append("q lacks an id of p")
    return tuple(found)


def _family(
    name: str, build: Build, size: int, max_n: int, *, per_id: bool = False, min_n: int = 1
) -> st.SearchStrategy[Pair]:
    """Return pairs that ``build`` makes from a length and ``size`` bytes (for each id, if ``per_id``)."""
    lengths = [n for n in LENGTHS if min_n <= n <= max_n]
    return _drawn(name, build, lambda n: size * n if per_id else size, lengths)


@st.composite
def _drawn(draw: st.DrawFn, name: str, build: Build, size: Callable[[int], int], lengths: Sequence[int]) -> Pair:
    n = draw(st.sampled_from(lengths))
    count = size(n)
    p, q = build(n, draw(st.binary(min_size=count, max_size=count)))
    pair = Pair(name, np.array(p), np.array(q))
    event(", ".join((name, *features(pair))))
    return pair


def _scaled(weights: Sequence[float]) -> Weights:
    total = sum(weights)
    return [weight / total for weight in weights]


def _eighths(n: int, block: bytes) -> tuple[Weights, Weights]:
    p, q = [0.0] * n, [0.0] * n
    for byte in block[:8]:
        p[byte % n] += 0.125
    for byte in block[8:]:
        q[byte % n] += 0.125
    return p, q


def _wide(n: int, block: bytes) -> tuple[Weights, Weights]:
    entries = [block[index : index + 3] for index in range(0, 6 * n, 3)]
    weights = [(1 + a + 256 * b) * 2.0 ** -(0 if c < 128 else 4 * (c - 128)) for a, b, c in entries]
    return _scaled(weights[:n]), _scaled(weights[n:])


def _partial_zeros(n: int, block: bytes) -> tuple[Weights, Weights]:
    masks, common = block[:n], block[0] % n
    in_p = [mask & 1 or index == common for index, mask in enumerate(masks)]
    in_q = [mask & 2 or index == common for index, mask in enumerate(masks)]
    return _masked(in_p, block[n : 2 * n]), _masked(in_q, block[2 * n :])


def _disjoint(n: int, block: bytes) -> tuple[Weights, Weights]:
    in_p = [byte & 1 for byte in block[:n]]
    if len(set(in_p)) == 1:
        in_p[block[0] // 2 % n] ^= 1
    return _masked(in_p, block[n : 2 * n]), _masked([not side for side in in_p], block[2 * n :])


def _equal(n: int, block: bytes) -> tuple[Weights, Weights]:
    present = [byte % 4 > 0 or index == block[0] % n for index, byte in enumerate(block[:n])]
    p = _masked(present, block[n : 2 * n], block[2 * n :])
    return p, list(p)


def _near_equal(n: int, block: bytes) -> tuple[Weights, Weights]:
    q = _masked([True] * n, block[:n], block[n : 2 * n])
    p = list(q)
    moves = list(zip(block[2 * n : 3 * n], block[3 * n : 4 * n], block[4 * n :], strict=True))
    for source, step, scale in moves[: 1 + block[0] % (n - 1)]:
        if scale >= 236:
            p = [mass * (1 - 2.0**-52) if index == source % n else mass for index, mass in enumerate(q)]
            break
        moved = p[source % n] * 2.0 ** -(1 + scale % 44 if scale < 128 else 45 + scale % 9)
        p[source % n] -= moved
        p[(source + 1 + step % (n - 1)) % n] += moved
    return p, q


def _masked(present: Sequence[object], low: bytes, high: bytes | None = None) -> Weights:
    """Return one mass for each id that is present, from one byte or two, normalized; 0.0 for the others."""
    tops = high if high is not None else bytes(len(low))
    return _scaled([1 + a + 256 * b if here else 0 for here, a, b in zip(present, low, tops, strict=True)])
