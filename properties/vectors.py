"""The pairs of distributions that the bounded domain is built on: eighths in full, and what eighths cannot show."""

import itertools
from collections.abc import Sequence

from acidtest.properties.call import Pair, Vector, normalized

HAND: Pair = ((0.5, 0.25, 0.25, 0.0), (0.25, 0.5, 0.0, 0.25))
SECOND_HAND: Pair = ((0.5, 0.125, 0.375, 0.0), (0.125, 0.5, 0.125, 0.25))
SAMPLED = {4: 60, 5: 40, 6: 40}
"""How many pairs of eighths are taken with four, five and six ids, evenly spread over all of them in order."""


def on_grid(ids: int, parts: int) -> list[Vector]:
    """Return every distribution over ``ids`` whose masses are multiples of ``1 / parts``, in ascending order."""
    cuts = itertools.combinations(range(parts + ids - 1), ids - 1)
    bars = ((-1, *cut, parts + ids - 1) for cut in cuts)
    return [tuple((b - a - 1) / parts for a, b in itertools.pairwise(bar)) for bar in bars]


def all_eighths() -> list[Pair]:
    """Return all pairs of eighths with one, two and three ids: 1 + 81 + 2025."""
    return [(p, q) for ids in (1, 2, 3) for p in on_grid(ids, 8) for q in on_grid(ids, 8)]


def sampled_eighths() -> list[Pair]:
    """Return the hand examples, and of the pairs of eighths with four to six ids as many as ``SAMPLED`` says.

    All pairs in order are walked with a stride that has no factor in common with their number, so that each id gets
    masses of every size on both sides.
    """
    pairs = [HAND, SECOND_HAND]
    for ids, count in SAMPLED.items():
        vectors = on_grid(ids, 8)
        total = len(vectors) ** 2
        stride = next(step for step in itertools.count(total * 5 // (count * 8)) if _coprime(step, total))
        for number in range(1, count + 1):
            first, second = divmod(number * stride % total, len(vectors))
            pairs.append((vectors[first], vectors[second]))
    return pairs


def _coprime(a: int, b: int) -> bool:
    while b:
        a, b = b, a % b
    return a == 1


def close_pairs() -> list[Pair]:
    """Return pairs that differ by little, or only where float64 does not see a difference in the sums."""
    gaps = (1e-3, 1e-5, 1e-7, 1e-9, 1e-12, 2.0**-40, 2.0**-52, 2.0**-53)
    pairs: list[Pair] = [((0.5 + gap, 0.5 - gap), (0.5, 0.5)) for gap in gaps]
    pairs += [(q, p) for p, q in pairs[:4]]
    pairs += [((0.25 + gap, 0.5, 0.25 - gap), (0.25, 0.5, 0.25)) for gap in (1e-7, 2.0**-53)]
    tiny: list[Pair] = [
        ((1.0, 1e-17), (1.0, 2e-17)),
        ((1.0, 2e-17), (1.0, 1e-17)),
        ((0.5, 0.5, 1e-17), (0.5, 0.5, 3e-17)),
        ((1.0, 1e-17, 0.0), (1.0, 0.0, 1e-17)),
        ((1.0, 5e-324), (1.0, 0.0)),
        ((1.0, 0.0), (1.0, 5e-324)),
        ((1 - 1e-9, 1e-9), (1 - 2e-9, 2e-9)),
        ((0.3 + 1e-10, 0.7), (0.3, 0.7 + 1e-10)),
        ((0.5, 0.5 + 9e-10), (0.5 - 9e-10, 0.5)),
    ]
    return pairs + tiny


def rough_pairs() -> list[Pair]:
    """Return pairs whose masses are no dyadic numbers, some of them long enough for the order of a sum to show."""
    first, second = normalized((9, 86, 3, 54, 8, 30, 48, 42)), normalized((40, 3, 1, 13, 1, 67, 53, 65))
    thirds, sevenths = normalized((1, 1, 1)), normalized((1, 2, 4))
    long, longer = _walk(24, 7, 0, 23), _walk(24, 5, 3, 19)
    weights: list[tuple[Sequence[int], Sequence[int]]] = [((k + 1, 5), (3, 2 * k + 1)) for k in range(8)]
    weights += [((k + 1, 2 * k + 3, 11), (7, k + 2, 3)) for k in range(8)]
    weights += [((3, 0, 5, 2), (1, 4, 0, 6)), ((1, 1, 0, 3, 2), (2, 0, 3, 1, 1))]
    short = [(normalized(p), normalized(q)) for p, q in weights]
    eights = [(_walk(8, a, b, 29), _walk(8, b + 3, a, 31)) for a in (3, 5, 11) for b in (2, 7, 13)]
    return [
        *short,
        (thirds, sevenths),
        (sevenths, thirds),
        (normalized((0.054, 0.946)), normalized((0.811, 0.189))),
        (first, second),
        (second, first),
        *eights,
        ((0.1,) * 10, normalized(range(1, 11))),
        (normalized(range(12, 0, -1)), normalized([1 + (5 * i) % 7 for i in range(12)])),
        (long, longer),
        (longer, long),
    ]


def _walk(ids: int, step: int, start: int, modulus: int) -> Vector:
    return normalized([1 + (start + step * i) % modulus for i in range(ids)])


def tight_envelopes() -> list[Pair]:
    """Return small pairs whose exact envelope ``max(p_i / q_i)`` a product would round below some ``p_i``."""
    vectors = [normalized(weights) for weights in itertools.product((1, 2, 3, 5, 7), repeat=2)]
    found = []
    for p, q in itertools.product(vectors, repeat=2):
        exact = max(p_i / q_i for p_i, q_i in zip(p, q, strict=True))
        if any(p_i > exact * q_i for p_i, q_i in zip(p, q, strict=True)):
            found.append((p, q))
    return found


def long_pairs() -> list[Pair]:
    """Return pairs of 41, 70 and 1200 ids: overlap and excess sum to other floats exactly, pairwise and backwards."""
    shapes = ((41, 11, 13), (70, 11, 3), (1200, 11, 3))
    return [(_walk(ids, step, 2, 97), _walk(ids, other, 5, 89)) for ids, step, other in shapes]
