"""Verdicts, scores and exit codes on matrices written by hand."""

from fractions import Fraction

import pytest

from acidtest.mutants import model
from acidtest.mutants.model import Baseline, Control, KillMatrix, Outcome, Status, Trial
from acidtest.reports.exits import MEANINGS, ExitCode, worst
from acidtest.reports.judge import Grade, bears, exit_code, judge, scores, status_of
from acidtest.reports.tests.hand_made import matrix, mutant, run_of


@pytest.mark.parametrize(
    ("row", "status"),
    [
        ("K..", Status.KILLED),
        (".TK", Status.KILLED),
        ("K  ", Status.KILLED),
        ("...", Status.SURVIVED),
        (".--", Status.SURVIVED),
        ("---", Status.NO_COVERAGE),
        ("S--", Status.NO_COVERAGE),
        ("..T", Status.TIMED_OUT),
        ("..C", Status.CRASHED),
        ("U..", Status.UNDECIDED),
        ("CTU", Status.TIMED_OUT),
        ("X  ", Status.UNVIABLE),
        (".. ", Status.PENDING),
        ("   ", Status.PENDING),
    ],
)
def test_status_names_what_happened_and_negates_nothing(row: str, status: Status) -> None:
    assert status_of(matrix("abc", s01=row), "s01") is status


@pytest.mark.parametrize(
    ("row", "named", "grade"),
    [
        ("K..", ("test_a",), Grade.EXACT),
        ("KK.", ("test_a", "test_b"), Grade.EXACT),
        ("KK.", ("test_a",), Grade.SUPERSET),
        ("K..", ("test_a", "test_b"), Grade.PARTIAL),
        ("K.K", ("test_a", "test_b"), Grade.PARTIAL),
        (".K.", ("test_a",), Grade.WRONG_KILLER),
        ("...", ("test_a",), Grade.SURVIVED),
        ("---", ("test_a",), Grade.SURVIVED),
        ("T..", ("test_a",), Grade.UNJUDGED),
        ("TK.", ("test_a",), Grade.WRONG_KILLER),
        ("X  ", ("test_a",), Grade.UNVIABLE),
    ],
)
def test_grade_compares_named_killers_with_actual_ones(row: str, named: tuple[str, ...], grade: Grade) -> None:
    (verdict,) = judge(matrix("abc", s01=row), [mutant("s01", named)])
    assert verdict.grade is grade
    assert verdict.kept is (grade in (Grade.EXACT, Grade.SUPERSET))
    assert verdict.broken is (not verdict.kept and grade is not Grade.UNJUDGED)


def test_named_killer_that_no_test_bears_is_absent() -> None:
    (verdict,) = judge(matrix("ab", s01="K."), [mutant("s01", ("test_a", "test_gone"))])
    assert (verdict.grade, verdict.silent, verdict.absent) == (Grade.PARTIAL, ("test_gone",), ("test_gone",))


def test_named_killer_means_all_its_parameters_and_may_name_its_file() -> None:
    tests = tuple(
        model.Test(f"tests/test_{file}.py::test_a[{n}]", f"test_a[{n}]") for file in ("x", "y") for n in (1, 2)
    )
    outcomes = (Outcome.PASSED, Outcome.FAILED, Outcome.PASSED, Outcome.PASSED)
    trials = tuple(Trial("s01", test.id, outcome) for test, outcome in zip(tests, outcomes, strict=True))
    kills = KillMatrix(tests, ("s01",), trials)
    grades = [judge(kills, [mutant("s01", (name,))])[0].grade for name in ("test_a", "test_x.py::test_a")]
    assert grades == [Grade.EXACT, Grade.EXACT]
    assert judge(kills, [mutant("s01", ("test_y.py::test_a",))])[0].grade is Grade.WRONG_KILLER
    assert judge(kills, [mutant("s01", ("test_a",))])[0].killers == ("test_a",)


def test_name_is_not_matched_by_its_ending() -> None:
    test = model.Test("tests/test_gate.py::TestGate::test_a[x::test_b]", "test_a[x::test_b]")
    assert bears(test, "test_a")
    assert bears(test, "TestGate::test_a")
    assert bears(test, "test_gate.py::TestGate::test_a")
    assert not bears(test, "a")
    assert not bears(test, "gate.py::TestGate::test_a")
    assert not bears(test, "test_b]")


def test_without_contract_a_kill_is_a_kill() -> None:
    verdicts = judge(matrix("ab", s01=".K", s02="..", s03="K "), [mutant(f"s0{n}") for n in (1, 2, 3)], contract=False)
    assert [verdict.grade for verdict in verdicts] == [Grade.KILLED, Grade.SURVIVED, Grade.KILLED]
    assert verdicts[0].silent == ()


def test_expected_survivor_keeps_its_promise_until_something_kills_it() -> None:
    survivor = mutant("s01", (), expect="survived", because="no test can see it")
    (alive,) = judge(matrix("a", s01="."), [survivor])
    (dead,) = judge(matrix("a", s01="K"), [survivor])
    assert (alive.kept, alive.broken) == (True, False)
    assert (dead.kept, dead.broken) == (False, True)
    run = run_of(matrix("a", s01="K"))
    assert exit_code(run, [dead], scores(run)) is ExitCode.BROKEN


def test_scores_count_a_timeout_as_stryker_does_and_as_no_kill() -> None:
    run = run_of(matrix("ab", s01="K.", s02="..", s03="--", s04=".T", s05=".C", s06="XX"))
    counted = scores(run)
    assert counted.strict == Fraction(1, 5)
    assert counted.stryker == Fraction(2, 4)
    assert (counted.killed, counted.valid, counted.reason) == (1, 5, "")
    assert counted.counts[Status.UNVIABLE] == 1


def test_no_score_is_given_with_its_reason() -> None:
    kills = matrix("a", s01="K", s02="U")
    failed = Baseline(kills.tests, (Trial("", kills.tests[0].id, Outcome.FAILED),), {}, {})
    control = Control("canary", "killed", "survived test_a")
    assert scores(run_of(kills)).reason == "no verdict on s02"
    assert scores(run_of(kills, baseline=failed)).reason == "the tests fail on the unchanged code"
    assert scores(run_of(kills, controls=(control,))).reason == "a control misbehaved: canary"
    assert scores(run_of(kills, problems=("the baseline fails after the run",))).reason.startswith("the baseline fails")
    assert scores(run_of(matrix("a", s01="X"))).reason == "no mutant could be tried"
    for run in (run_of(kills), run_of(kills, controls=(control,))):
        assert (scores(run).strict, scores(run).stryker) == (None, None)


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ({"s01": "K.", "s02": "KK"}, ExitCode.KEPT),
        ({"s01": "K.", "s02": ".."}, ExitCode.BROKEN),
        ({"s01": ".K"}, ExitCode.BROKEN),
        ({"s01": "K.", "s02": ".T"}, ExitCode.UNDECIDED),
        ({"s01": "K.", "s02": "U."}, ExitCode.UNDECIDED),
        ({"s01": "..", "s02": ".T"}, ExitCode.BROKEN),
        ({"s01": "K.", "s02": ". "}, ExitCode.NO_VERDICT),
        ({"s01": "XX"}, ExitCode.BROKEN),
        ({}, ExitCode.NO_VERDICT),
    ],
)
def test_exit_code_follows_the_verdicts(rows: dict[str, str], code: ExitCode) -> None:
    run = run_of(matrix("ab", **rows))
    assert exit_code(run, judge(run.matrix, [mutant(id) for id in rows]), scores(run)) is code


def test_failed_baseline_speaks_before_everything_but_usage() -> None:
    kills = matrix("a", s01=".")
    failed = Baseline(kills.tests, (Trial("", kills.tests[0].id, Outcome.FAILED),), {}, {})
    run = run_of(kills, baseline=failed, problems=("the baseline fails",))
    assert exit_code(run, judge(kills, [mutant("s01")]), scores(run)) is ExitCode.CANNOT_JUDGE
    assert worst({ExitCode.CANNOT_JUDGE, ExitCode.USAGE, ExitCode.BROKEN}) is ExitCode.USAGE
    assert worst({ExitCode.INTERNAL, ExitCode.USAGE}) is ExitCode.INTERNAL


def test_misbehaving_control_leaves_no_verdict() -> None:
    run = run_of(matrix("a", s01="."), controls=(Control("same", "survives", "killed by test_a"),))
    assert exit_code(run, judge(run.matrix, [mutant("s01")]), scores(run)) is ExitCode.NO_VERDICT


def test_fail_under_lets_the_score_alone_decide() -> None:
    run = run_of(matrix("ab", s01="K.", s02="..", s03=".K", s04="K."))
    verdicts = judge(run.matrix, [mutant(f"s0{n}") for n in (1, 2, 3, 4)])
    assert scores(run).strict == Fraction(3, 4)
    assert exit_code(run, verdicts, scores(run), Fraction(75)) is ExitCode.KEPT
    assert exit_code(run, verdicts, scores(run), Fraction(76)) is ExitCode.BROKEN


def test_every_exit_code_has_a_meaning() -> None:
    assert set(MEANINGS) == set(ExitCode)
