"""Every family of pairs is drawn, is valid, and has the features it is there for."""

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from acidtest.properties.strategies import FAMILIES, FEATURES, Pair, features, pairs


def each(strategy: st.SearchStrategy[Pair], count: int, look: Callable[[Pair], object]) -> None:
    """Show ``count`` drawn pairs to ``look``, the same ones each time."""

    @seed(20230211)
    @settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        derandomize=False,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def show(pair: Pair) -> None:
        look(pair)

    show()


@pytest.mark.parametrize("family", FAMILIES)
def test_every_feature_of_a_family_is_drawn(family: str) -> None:
    tally: Counter[str] = Counter()
    each(FAMILIES[family](40), 200, lambda pair: tally.update(features(pair)))
    missing = [feature for feature in FEATURES[family] if not tally[feature]]
    assert not missing, f"200 pairs of {family!r} have {dict(tally)}, and lack {missing}"
    assert tally["n = 3 to 7"] + tally["n = 8 to 39"] + tally["n = 40"] > 120


def test_every_family_is_drawn_from_the_mixture() -> None:
    tally: Counter[str] = Counter()
    each(pairs(), 150, lambda pair: tally.update([pair.family]))
    assert set(tally) == set(FAMILIES)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_pair_is_two_distributions_in_memory_of_their_own(family: str) -> None:
    def look(pair: Pair) -> None:
        assert pair.family == family
        assert pair.p is not pair.q
        for vector in (pair.p, pair.q):
            assert vector.shape == (pair.n,)
            assert vector.min() >= 0.0
            assert abs(sum(vector.tolist()) - 1.0) < 1e-12

    each(FAMILIES[family](40), 60, look)


@pytest.mark.parametrize(
    ("family", "promise"),
    [
        ("eighths", lambda p, q: all((8 * mass).is_integer() for mass in p + q)),
        ("wide", lambda p, q: min(p + q) > 0.0),
        ("partial zeros", lambda p, q: any(a > 0.0 and b > 0.0 for a, b in zip(p, q, strict=True))),
        ("disjoint", lambda p, q: all(a == 0.0 or b == 0.0 for a, b in zip(p, q, strict=True))),
        ("equal", lambda p, q: p == q),
        ("near equal", lambda p, q: all(b > 0.0 for b in q)),
    ],
)
def test_every_pair_keeps_its_family_s_promise(
    family: str, promise: Callable[[list[float], list[float]], bool]
) -> None:
    each(FAMILIES[family](40), 60, lambda pair: _assert(promise(pair.p.tolist(), pair.q.tolist())))


def test_wide_pairs_are_wide_and_near_equal_pairs_near() -> None:
    smallest: list[float] = []
    each(FAMILIES["wide"](40), 60, lambda pair: smallest.append(float(min(pair.p.min(), pair.q.min()))))
    assert min(smallest) < 2.0**-300
    gaps: list[float] = []
    each(FAMILIES["near equal"](40), 60, lambda pair: gaps.append(float(abs(pair.p - pair.q).max())))
    assert 0.0 < min(gaps) < 2.0**-45
    assert max(gaps) > 2.0**-8


def _assert(condition: bool) -> None:
    assert condition
