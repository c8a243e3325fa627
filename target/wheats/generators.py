"""Streams: masses flow through generators, sums are the last value of a running one, tries are an endless supply."""

import operator
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import accumulate, count, takewhile

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tinyllm.prob.categorical import as_distribution, sample_categorical
from tinyllm.prob.uniforms import UniformSource

LARGEST = float(np.finfo(np.float64).max)


class ZeroResidualError(ArithmeticError):
    """The stream of missing masses is all zeros."""


def rejection_accept(p_x: float, q_x: float, u: float) -> bool:
    """Return whether the draft passes."""
    complaints = _complaints(float(p_x), float(q_x), float(u))
    for complaint in complaints:
        raise ValueError(complaint)
    return float(p_x) / float(q_x) > float(u)


def acceptance_probability(p: ArrayLike, q: ArrayLike) -> float:
    """Return the last running sum of the smaller masses."""
    return _last(accumulate(map(min, _masses(p, q)), initial=0.0))


def residual_distribution(p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]:
    """Return the missing masses over their sum, or the target where none is missing."""
    pairs = list(_masses(p, q))
    residual = list(_normalized(pairs))
    return np.array(residual or [p_i for p_i, _ in pairs])


def speculative_step(p: ArrayLike, q: ArrayLike, x: int, u_accept: float, u_resample: float) -> tuple[int, bool]:
    """Return the draft, else the draw from the stream of normalized masses."""
    pairs = dict(enumerate(_masses(p, q)))
    try:
        draft = operator.index(x)
        masses = pairs[draft]
    except (TypeError, KeyError) as error:
        raise ValueError(f"{x!r} is not an id of this vocabulary") from error
    if rejection_accept(*masses, u_accept):
        return draft, True
    residual = list(_normalized(pairs.values()))
    if not residual:
        raise ZeroResidualError(f"id {draft}: {u_accept!r} rejects, and the residual is empty")
    return sample_categorical(residual, u_resample), False


def rejection_sample(
    p: ArrayLike, q: ArrayLike, m: float, rng: UniformSource, max_tries: int = 10000
) -> tuple[int, int]:
    """Return the first kept try."""
    pairs, envelope = list(_masses(p, q)), float(m)
    if not 1.0 <= envelope <= LARGEST:
        raise ValueError(f"{envelope!r} is no envelope")
    if max_tries < 1:
        raise ValueError(f"{max_tries!r} tries")
    for index in _uncovered(pairs, envelope):
        raise ValueError(f"{envelope!r} does not reach the ratio of id {index}")
    numbered = zip(takewhile(lambda tries: tries <= max_tries, count(1)), _tries(pairs, envelope, rng), strict=False)
    kept = ((x, tries) for tries, (x, stays) in numbered if stays)
    for answer in kept:
        return answer
    raise RuntimeError(f"{max_tries} tries went by")


def _complaints(p_x: float, q_x: float, u: float) -> Iterator[str]:
    if not 0.0 <= p_x <= LARGEST:
        yield f"target mass {p_x!r}"
    if not 0.0 < q_x <= LARGEST:
        yield f"proposal mass {q_x!r}"
    if not 0.0 <= u < 1.0:
        yield f"uniform {u!r}"


def _masses(p: ArrayLike, q: ArrayLike) -> Iterator[tuple[float, float]]:
    """Yield target and proposal mass of one id after the other; a length that differs shows at the end."""
    yield from zip(as_distribution("p", p).tolist(), as_distribution("q", q).tolist(), strict=True)


def _normalized(pairs: Iterable[tuple[float, float]]) -> Iterator[float]:
    """Yield the residual, or nothing at all where it has no mass."""
    missing = [p_i - min(p_i, q_i) or 0.0 for p_i, q_i in pairs]
    z = _last(accumulate(missing, initial=0.0))
    if z:
        yield from (mass / z for mass in missing)


def _uncovered(pairs: Iterable[tuple[float, float]], m: float) -> Iterator[int]:
    for index, (p_i, q_i) in enumerate(pairs):
        if p_i and (not q_i or p_i / q_i > m):
            yield index


def _tries(pairs: list[tuple[float, float]], m: float, rng: UniformSource) -> Iterator[tuple[int, bool]]:
    """Yield proposals without end, each with whether it stays; a try draws its uniforms when it is asked for."""
    proposal = [q_i for _, q_i in pairs]
    while True:
        x = sample_categorical(proposal, rng.random())
        p_x, q_x = pairs[x]
        yield x, rng.random() < p_x / (m * q_x)


def _last(stream: Iterable[float]) -> float:
    return deque(stream, maxlen=1).pop()
