"""How to draw a call of each function: a pair of some family, and uniforms at its breakpoints or anywhere."""

import math
from collections.abc import Callable, Iterator, Sequence

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from acidtest.properties.call import BELOW_ONE, Call, around, envelope, residual, running_sums
from acidtest.properties.strategies import FAMILIES, Pair, pairs

Masses = Sequence[float]
WITHOUT_PAIR = ("PCG32.next_uint32", "PCG32.random")
MAX_IDS = 12

_UNIFORM = st.one_of(
    st.integers(0, 15).map(lambda k: k / 16),
    st.integers(0, 2**53 - 1).map(lambda k: k / 2**53),
    st.sampled_from([0.0, 2.0**-53, BELOW_ONE]),
)
_POSITIVE = st.one_of(
    st.integers(1, 8).map(lambda k: k / 8),
    st.integers(1, 2**53).map(lambda k: k / 2**53),
    st.tuples(st.integers(1, 2**53), st.integers(-1074, 0)).map(lambda entry: math.ldexp(*entry)).filter(bool),
)


def strategy(function: str, family: str | None = None) -> st.SearchStrategy[Call]:
    """Return calls of ``function``, over all families of pairs or over one. None of them breaks a rule.

    Raises:
        ValueError: no such function, or no such family.
    """
    if function in WITHOUT_PAIR:
        words = st.integers(-(2**64), 2**65)
        return st.builds(
            lambda seed, stream, count: Call(function, {"seed": seed, "stream": stream, "count": count}),
            words,
            words,
            st.integers(1, 6),
        )
    if function not in _OF_A_PAIR:
        raise ValueError(
            f"no calls of {function!r} can be drawn; of {', '.join((*_OF_A_PAIR, *WITHOUT_PAIR))} they can"
        )
    if family is not None and family not in FAMILIES:
        raise ValueError(f"no family {family!r}; there are {', '.join(FAMILIES)}")
    if function == "rejection_accept" and family is None:
        return st.one_of(_wide_ratios(), pairs(MAX_IDS).flatmap(_accept))
    chosen = pairs(MAX_IDS) if family is None else FAMILIES[family](MAX_IDS)
    return chosen.flatmap(_OF_A_PAIR[function])


def sample(function: str, family: str, count: int, seed_: int) -> Iterator[Call]:
    """Yield ``count`` calls, the same for the same seed."""
    drawn: list[Call] = []

    @seed(seed_)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        derandomize=False,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy(function, family))
    def draw(call: Call) -> None:
        drawn.append(call)

    while len(drawn) < count:  # Hypothesis ends early where it has seen all there is
        before = len(drawn)
        draw()
        if len(drawn) == before:
            break
    yield from drawn[:count]


def _wide_ratios() -> st.SearchStrategy[Call]:
    """Return single drafts of any size, the uniform at the ratio's edge or anywhere."""
    masses = st.tuples(st.one_of(st.just(0.0), _POSITIVE), _POSITIVE)
    return masses.flatmap(lambda pair: _accept_at(*pair))


def _accept_at(p_x: float, q_x: float) -> st.SearchStrategy[Call]:
    return _uniform([p_x / q_x]).map(lambda u: Call("rejection_accept", {"p_x": p_x, "q_x": q_x, "u": u}))


def _uniform(breakpoints: Masses) -> st.SearchStrategy[float]:
    """Return uniforms anywhere, or at one of the breakpoints and beside it."""
    edges = [u for point in breakpoints for u in around(point)]
    return st.one_of(_UNIFORM, st.sampled_from(edges)) if edges else _UNIFORM


def _lists(pair: Pair) -> tuple[list[float], list[float]]:
    return pair.p.tolist(), pair.q.tolist()


def _drafts(q: Masses) -> st.SearchStrategy[int]:
    return st.sampled_from([x for x, mass in enumerate(q) if mass > 0.0])


def _accept(pair: Pair) -> st.SearchStrategy[Call]:
    p, q = _lists(pair)
    return _drafts(q).flatmap(lambda x: _accept_at(p[x], q[x]))


def _whole(function: str) -> Callable[[Pair], st.SearchStrategy[Call]]:
    return lambda pair: st.just(Call(function, dict(zip(("p", "q"), _lists(pair), strict=True))))


def _distribution(pair: Pair) -> st.SearchStrategy[Call]:
    return st.sampled_from(_lists(pair)).map(lambda p: Call("as_distribution", {"name": "p", "values": p}))


def _categorical(pair: Pair) -> st.SearchStrategy[Call]:
    return st.sampled_from(_lists(pair)).flatmap(
        lambda p: _uniform(running_sums(p)).map(lambda u: Call("sample_categorical", {"p": p, "u": u}))
    )


def _step(pair: Pair) -> st.SearchStrategy[Call]:
    p, q = _lists(pair)
    replacements = _uniform(running_sums(residual(p, q)))
    return _drafts(q).flatmap(
        lambda x: st.builds(
            lambda u_accept, u_resample: Call(
                "speculative_step", {"p": p, "q": q, "x": x, "u_accept": u_accept, "u_resample": u_resample}
            ),
            _uniform([p[x] / q[x]]),
            replacements,
        )
    )


def _run(pair: Pair) -> st.SearchStrategy[Call]:
    """Return runs of the sampler: four free uniforms, then tries that the likeliest id of ``p`` wins."""
    p, q = _lists(pair)
    exact = envelope(p, q)
    if exact is None or exact < 1.0 or not math.isfinite(exact):
        p = list(q)
        exact = 1.0
    sums = running_sums(q)
    best = max((x for x, mass in enumerate(q) if mass > 0.0), key=lambda x: p[x] / q[x])
    inside = (sums[best] + (sums[best - 1] if best else 0.0)) / 2
    ends = [min(inside, BELOW_ONE), 0.0]
    proposals = _uniform(sums)

    def thresholds(m: float) -> st.SearchStrategy[float]:
        return _uniform([p[x] / (m * q[x]) for x, mass in enumerate(q) if mass > 0.0 and m * mass > 0.0])

    return st.sampled_from([exact, 2.0 * exact, 1.5 * exact]).flatmap(
        lambda m: st.lists(st.tuples(proposals, thresholds(m)), min_size=1, max_size=3).map(
            lambda tries: Call(
                "rejection_sample",
                {"p": p, "q": q, "m": m, "rng": [u for one in tries for u in one] + ends, "max_tries": len(tries) + 1},
            )
        )
    )


_OF_A_PAIR: dict[str, Callable[[Pair], st.SearchStrategy[Call]]] = {
    "as_distribution": _distribution,
    "sample_categorical": _categorical,
    "rejection_accept": _accept,
    "acceptance_probability": _whole("acceptance_probability"),
    "residual_distribution": _whole("residual_distribution"),
    "speculative_step": _step,
    "rejection_sample": _run,
}
