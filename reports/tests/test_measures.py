"""Every measure of strength by a second road: brute force over small matrices, and numbers known beforehand."""

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction

import pytest

from acidtest.mutants.model import KillMatrix, Outcome, Status, Trial
from acidtest.reports.confidence import Seeding, confidence, inputs_to_kill, quartiles
from acidtest.reports.conjectures import conjectures
from acidtest.reports.covers import minimal_suites, redundant_tests, sole_kills
from acidtest.reports.intervals import (
    all_kill_bound,
    chi_square_distance,
    chi_square_power,
    lower_bound,
    share,
    smallest_seen,
    upper_bound,
)
from acidtest.reports.kills import Kills, kills_in, pooled, steady
from acidtest.reports.power import Sampled, ledger
from acidtest.reports.subsuites import part, score, spreads
from acidtest.reports.subsumption import Side, classes, disagreements, dominator_score, dominators, graph
from acidtest.reports.tests.hand_made import matrix
from acidtest.reports.triggers import never_reached, reached_by_one, trigger


def kills(**rows: str) -> Kills:
    """Return kills from the letters of the killing tests: ``kills(m1="ab")``; the tests are a to f."""
    return Kills(tuple("abcdef"), {mutant: frozenset(row) for mutant, row in rows.items()})


def small_ones(count: int = 150) -> Iterator[Kills]:
    """Yield random matrices of up to seven tests and nine mutants, some with survivors and with twins."""
    rng = random.Random(11)
    for _ in range(count):
        tests = tuple("abcdefg"[: rng.randint(1, 7)])
        density = rng.choice((0.15, 0.3, 0.6))
        rows = {
            f"m{number}": frozenset(test for test in tests if rng.random() < density)
            for number in range(rng.randint(1, 9))
        }
        yield Kills(tests, rows)


def covers(found: Kills, tests: tuple[str, ...]) -> bool:
    return all(not killers or killers & set(tests) for killers in found.killers.values())


def test_minimal_suites_agree_with_trying_every_suite() -> None:
    for found in small_ones():
        by_size = (list(itertools.combinations(found.tests, size)) for size in range(len(found.tests) + 1))
        optima = next(good for suites in by_size if (good := [suite for suite in suites if covers(found, suite)]))
        cover = minimal_suites(found)
        assert cover.counted
        assert cover.optima == len(optima)
        assert cover.suite in optima
        assert set(cover.core) == set.intersection(*map(set, optima))


def test_the_integer_program_and_branching_agree_where_greed_fails() -> None:
    # the greedy choice takes c first, and then needs two more
    found = kills(m1="ac", m2="ac", m3="bc", m4="bc", m5="ad", m6="bd", m7="a", m8="b")
    assert minimal_suites(found).suite == ("a", "b")
    hard = Kills(
        tuple("abcdef"), {f"m{i}": frozenset(pair) for i, pair in enumerate(itertools.combinations("abcdef", 2))}
    )
    cover = minimal_suites(hard)  # a vertex cover of the complete graph: all but one
    assert (cover.size, cover.optima, cover.core) == (5, 6, ())


def test_a_count_that_is_cut_off_says_at_least() -> None:
    hard = Kills(
        tuple("abcdef"), {f"m{i}": frozenset(pair) for i, pair in enumerate(itertools.combinations("abcdef", 2))}
    )
    cover = minimal_suites(hard, patience=3)
    assert not cover.counted
    assert 1 <= cover.optima <= 6
    assert cover.size == 5


def test_redundant_tests_and_sole_killers_agree_with_leaving_each_test_out() -> None:
    for found in small_ones():
        redundant = {row.test: row for row in redundant_tests(found)}
        sole = sole_kills(found)
        for test in found.tests:
            rest = found.by(other for other in found.tests if other != test)
            lost = set(found.killed) - set(rest.killed)
            assert (test in redundant) == (not lost)
            assert set(sole.get(test, ())) == lost
            if test in redundant:
                carriers = redundant[test].carriers
                assert test not in carriers
                assert found.kills[test] <= set(found.by(carriers).killed)
                smaller = itertools.combinations(rest.tests, max(0, len(carriers) - 1))
                assert not carriers or not any(found.kills[test] <= set(found.by(s).killed) for s in smaller)


def test_dominators_are_the_classes_whose_covers_cover_all() -> None:
    for found in small_ones():
        groups = dominators(found.killers)
        for size in range(len(found.tests) + 1):
            for suite in itertools.combinations(found.tests, size):
                assert covers(found, suite) == all(group.marks & set(suite) for group in groups)


def test_classes_and_dominators_of_a_matrix_known_by_hand() -> None:
    found = kills(m1="a", m2="ab", m3="ab", m4="cd", m5="")
    assert [(group.mutants, "".join(sorted(map(str, group.marks)))) for group in classes(found.killers)] == [
        (("m1",), "a"),
        (("m2", "m3"), "ab"),
        (("m4",), "cd"),
    ]
    assert [group.mutants for group in dominators(found.killers)] == [("m1",), ("m4",)]
    assert dominator_score(found, "a") == Fraction(1, 3)  # the survivor counts as a class
    assert dominator_score(found, "abcdef") == Fraction(2, 3)
    assert dominator_score(Kills((), {}), "") is None


def test_the_graph_is_the_order_without_what_follows() -> None:
    for found in small_ones(60):
        groups = classes(found.killers)
        order = {(a, b) for a, one in enumerate(groups) for b, other in enumerate(groups) if one.marks < other.marks}
        edges = set(graph(found.killers))
        assert edges == {
            (a, c) for a, c in order if not any((a, b) in order and (b, c) in order for b in range(len(groups)))
        }


def test_tests_and_domain_disagree_where_a_test_is_missing() -> None:
    found = kills(m1="a", m2="ab", m3="c", m4="c")
    deltas = {"m1": frozenset({0, 1}), "m2": frozenset({1, 9}), "m3": frozenset({4}), "m4": frozenset({4, 70})}
    pairs = {(pair.first, pair.second): pair for pair in disagreements(found, deltas)}
    assert set(pairs) == {("m1", "m2"), ("m4", "m3")}
    assert (pairs["m1", "m2"].side, pairs["m1", "m2"].apart, pairs["m1", "m2"].example) == (Side.TESTS, 1, 0)
    assert not pairs["m1", "m2"].together
    assert (pairs["m4", "m3"].example, pairs["m4", "m3"].together) == (70, True)
    weak = disagreements(kills(m1="ab", m2="b"), {"m1": frozenset({3}), "m2": frozenset({3, 4})})
    assert [(pair.first, pair.side, pair.apart) for pair in weak] == [("m1", Side.DOMAIN, 1), ("m2", Side.TESTS, 1)]


def test_conjectures_hold_of_every_mutant_and_are_not_implied() -> None:
    for found in small_ones(60):
        for item in conjectures(found):
            for one, other in itertools.product(item.stronger, item.weaker or item.stronger):
                assert found.kills[other] <= found.kills[one]
                assert len(found.kills[other]) == item.killed > 0
    named = [(item.stronger, item.weaker, item.killed) for item in conjectures(kills(m1="abc", m2="ab", m3="a"))]
    assert named == [(("a",), ("b",), 2), (("b",), ("c",), 1)]


def test_size_control_is_the_same_for_a_seed_and_ends_at_the_whole_suite() -> None:
    found = kills(m1="a", m2="ab", m3="cd", m4="e", m5="")
    rows = spreads(found, seed=5)
    assert rows == spreads(found, seed=5)
    assert [row.size for row in rows] == [1, 2, 3, 4, 5, 6]
    assert rows[-1].low == rows[-1].high == score(found, found.tests) == Fraction(4, 5)
    for row in rows:
        every = [score(found, suite) for suite in itertools.combinations(found.tests, row.size)]
        assert min(every) <= row.low <= row.lower <= row.median <= row.upper <= row.high <= max(every)
    assert part(found, "good", ["a", "c", "e"], seed=5).beats > Fraction(1, 2)


def test_kills_count_judged_mutants_alone() -> None:
    found = kills_in(
        matrix("abc", s01="K.K", s02="...", s03=".T.", s04="XXX", s05="K  ", s06=".UK", s07="---"), ["s07"]
    )
    names = {mutant: sorted(test[-1] for test in killers) for mutant, killers in found.killers.items()}
    assert names == {"s01": ["a", "c"], "s02": [], "s06": ["c"]}
    assert found.unjudged == {"s03": Status.TIMED_OUT, "s04": Status.UNVIABLE, "s05": Status.PENDING}
    assert (found.killed, found.survivors) == (("s01", "s06"), ("s02",))


def test_steady_kills_are_those_of_every_matrix() -> None:
    first, second = matrix("ab", m1="KK", m2="K."), matrix("ab", m1=".K", m2="T.")
    found = steady(kills_in(first), [first, second])
    assert {mutant: sorted(test[-1] for test in kappa) for mutant, kappa in found.killers.items()} == {
        "m1": ["b"],
        "m2": [],
    }


def test_a_pool_joins_two_suites() -> None:
    one = Kills(("a",), {"m1": frozenset("a"), "m2": frozenset()}, {"m3": Status.TIMED_OUT, "m4": Status.CRASHED})
    two = Kills(("b",), {"m1": frozenset(), "m2": frozenset("b"), "m3": frozenset("b"), "m4": frozenset()})
    both = pooled(one, two)
    assert both.tests == ("a", "b")
    assert {m: "".join(sorted(k)) for m, k in both.killers.items()} == {"m1": "a", "m2": "b", "m3": "b"}
    assert both.unjudged == {"m4": Status.CRASHED}


def binomial_tail(hits: int, tries: int, rate: float) -> float:
    """Return the probability of ``hits`` or more."""
    return sum(math.comb(tries, k) * rate**k * (1 - rate) ** (tries - k) for k in range(hits, tries + 1))


def test_bounds_are_where_the_binomial_tail_is_five_percent() -> None:
    for tries in (1, 5, 20, 59):
        for hits in range(tries + 1):
            if hits:
                assert binomial_tail(hits, tries, lower_bound(hits, tries)) == pytest.approx(0.05, abs=1e-9)
            if hits < tries:
                high = upper_bound(hits, tries)
                assert 1 - binomial_tail(hits + 1, tries, high) == pytest.approx(0.05, abs=1e-9)
            assert share(hits, tries).low <= hits / tries <= share(hits, tries).high
    for seeds, bound in ((20, 0.861), (59, 0.950), (299, 0.990)):
        assert round(all_kill_bound(seeds), 3) == bound
        assert lower_bound(seeds, seeds) == pytest.approx(all_kill_bound(seeds))
    with pytest.raises(ValueError, match="3 of 2"):
        share(3, 2)


def noncentral_tail(limit: float, shift: float) -> float:
    """Return the tail for two degrees of freedom: a Poisson mixture of central ones, each a Poisson sum itself."""
    total, weight, tail, term = 0.0, math.exp(-shift / 2), math.exp(-limit / 2), math.exp(-limit / 2)
    for step in range(1, 400):
        total += weight * tail
        weight *= shift / 2 / step
        term *= limit / 2 / step
        tail += term
    return total


def test_the_power_of_a_chi_square_test_agrees_with_drawing() -> None:
    assert round(smallest_seen(20000, 3, 0.001), 4) == 0.0019
    p, r, draws, alpha = (0.5, 0.3, 0.2), (0.46, 0.33, 0.21), 1500, 0.05
    distance = chi_square_distance(p, r)
    assert distance == pytest.approx(0.04**2 / 0.5 + 0.03**2 / 0.3 + 0.01**2 / 0.2)
    limit, rng, rejected, runs = -2 * math.log(alpha), random.Random(3), 0, 400
    assert chi_square_power(distance, draws, 2, alpha) == pytest.approx(noncentral_tail(limit, draws * distance))
    for _ in range(runs):
        drawn = rng.choices(range(3), r, k=draws)
        statistic = sum((drawn.count(i) - draws * p[i]) ** 2 / (draws * p[i]) for i in range(3))
        rejected += statistic > limit
    power = chi_square_power(distance, draws, 2, alpha)
    assert abs(rejected / runs - power) < 4 * (power * (1 - power) / runs) ** 0.5
    assert chi_square_power(0.0, draws, 2, alpha) == alpha
    assert chi_square_power(chi_square_distance((1.0, 0.0), (0.9, 0.1)), draws, 1, alpha) == 1.0
    assert chi_square_power(smallest_seen(draws, 2, alpha), draws, 2, alpha) == pytest.approx(0.99)


def test_a_ledger_sorts_laws_by_distance_and_keeps_what_has_none() -> None:
    sampled = Sampled("t::x", 1000, 0.01, (0.5, 0.5))
    laws: dict[str, Sequence[float] | str] = {
        "far": (0.9, 0.1),
        "same": (0.5, 0.5),
        "near": (0.52, 0.48),
        "none": "raises ValueError",
    }
    found = ledger(sampled, laws, {"far": (20, 20), "near": (20, 20)}, (0, 20), 1e-24)
    assert [(line.mutant, line.agrees) for line in found.lines] == [("near", False), ("far", True)]
    assert (found.lawful, dict(found.unlawful)) == (("same",), {"none": "raises ValueError"})
    assert found.alarms is not None
    assert found.alarms.hits == 0


def test_confidence_counts_a_seed_only_where_the_tests_were_green() -> None:
    seedings = [
        Seeding(0, matrix("ab", m1="KK", m2=".K")),
        Seeding(1, matrix("ab", m1="K.", m2=".K")),
        Seeding(2, None, frozenset({"tests/test_gate.py::test_b"})),
    ]
    found = confidence(seedings, ["m1", "m2"])
    assert (found.seeds, found.matrices) == (3, 2)
    assert [(cell.mutant, cell.test[-1], cell.kills, cell.seeds) for cell in found.cells] == [
        ("m1", "a", 2, 2),
        ("m1", "b", 1, 2),
        ("m2", "b", 2, 2),
    ]
    assert [(cell.mutant, cell.test[-1]) for cell in found.unsteady] == [("m1", "b")]
    assert [(row.mutant, row.kills, row.steady) for row in found.mutants] == [("m1", 2, 1), ("m2", 2, 1)]
    assert [(row.test[-1], row.failures, row.seeds) for row in found.alarms] == [("b", 1, 3), ("a", 0, 3)]
    assert found.bound == pytest.approx(0.05**0.5)


def test_inputs_to_kill_count_kills_by_drawing_tests() -> None:
    drawn = matrix("ab", m1="KK", m2="K.", m3="..")
    counted = {("m1", "a"): 3, ("m1", "b"): 41}
    trials = tuple(
        Trial(t.variant, t.test, t.outcome, t.reason, examples=counted.get((t.variant, t.test[-1])))
        for t in drawn.trials
    )
    (row,) = inputs_to_kill([KillMatrix(drawn.tests, drawn.variants, trials)], ["m1", "m2", "m3"])
    assert (row.mutant, row.kills, row.median, row.soon) == ("m1", 2, 22.0, Fraction(1, 2))
    assert quartiles([7]) == (7.0, 7.0, 7.0)
    assert quartiles([1, 2, 3, 4, 5]) == (2.0, 3.0, 4.0)
    assert all(trial.outcome in (Outcome.FAILED, Outcome.PASSED) for trial in trials)


def test_triggers_name_the_blind_and_the_biased() -> None:
    rows = [
        trigger("eighths", "f", "m1", ["1"] * 40, ["2"] * 40),
        trigger("wide", "f", "m1", ["1"] * 40, ["1"] * 40),
        trigger("eighths", "f", "m2", ["1"] * 40, ["1"] * 40),
        trigger("wide", "f", "m2", ["1"] * 40, ["1"] * 40),
        trigger("wide", "f", "m3", ["1"] * 40, ["2"] * 10 + ["1"] * 30),
    ]
    assert [row.verdict for row in rows] == ["biased", "blind", "blind", "blind", ""]
    assert never_reached(rows) == ("m2",)
    assert reached_by_one(rows) == {"m1": "eighths", "m3": "wide"}
