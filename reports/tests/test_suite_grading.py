"""What showings come to: which tests count, which kills are earned, how a suite stands."""

import re
from collections.abc import Iterable
from fractions import Fraction

import pytest

from acidtest.mutants.model import Outcome
from acidtest.mutants.sandbox.suite_desk import Unit
from acidtest.reports.exits import ExitCode
from acidtest.reports.hints import Ladder, Rungs
from acidtest.reports.render.suite_json import suite_document
from acidtest.reports.render.suite_text import learner_page, staff_page, table_page
from acidtest.reports.subsumption import MutantClass
from acidtest.reports.suite_grading import (
    Showing,
    Standing,
    SuiteAssessment,
    UnitReport,
    Validity,
    believed,
    conclude,
    judge_units,
)
from acidtest.reports.tests.hand_made import mutant

PASSED, FAILED, LATE, CRASHED = Outcome.PASSED, Outcome.FAILED, Outcome.TIMED_OUT, Outcome.CRASHED
MUTANTS = (mutant("s01", pitfall=1), mutant("s02", pitfall=1), mutant("s03", pitfall=2))
CLASSES = (MutantClass(("s01",), frozenset()), MutantClass(("s02", "s03"), frozenset()))
BASE = SuiteAssessment("test_mine.py", "0" * 64, 1, Standing.UNGRADABLE, shown=9)


def on_right(unit: str, *outcomes: Outcome) -> list[Showing]:
    return [Showing(unit, f"wheat {at}", True, outcome, call="f(1)") for at, outcome in enumerate(outcomes)]


def on(unit: str, variant: str, *outcomes: Outcome, differs: bool | None = True) -> list[Showing]:
    return [
        Showing(unit, variant, False, outcome, differs=differs if outcome is FAILED else None) for outcome in outcomes
    ]


def judged(showings: Iterable[Showing]) -> UnitReport:
    (report,) = judge_units((Unit("m::test_a", 1),), showings, 2)
    return report


def test_a_mutant_is_killed_where_a_valid_test_fails_at_every_showing() -> None:
    report = judged([*on_right("m::test_a", PASSED, PASSED), *on("m::test_a", "s01", FAILED, FAILED)])
    assert (report.validity, report.kills) == (Validity.VALID, ("s01",))


@pytest.mark.parametrize("outcomes", [(FAILED, PASSED), (PASSED, FAILED), (FAILED, PASSED, LATE)])
def test_showings_that_differ_are_flaky_and_kill_nothing(outcomes: tuple[Outcome, ...]) -> None:
    report = judged([*on_right("m::test_a", PASSED), *on("m::test_a", "s01", *outcomes)])
    assert (report.kills, report.flaky) == ((), ("s01",))


def test_a_failure_and_a_timeout_are_no_kill() -> None:
    report = judged([*on_right("m::test_a", PASSED), *on("m::test_a", "s01", FAILED, LATE)])
    assert (report.kills, report.flaky, report.stopped) == ((), (), ("s01",))


def test_one_showing_is_not_enough_for_a_kill() -> None:
    report = judged([*on_right("m::test_a", PASSED), *on("m::test_a", "s01", FAILED)])
    assert (report.kills, report.stopped) == ((), ("s01",))


@pytest.mark.parametrize("differs", [False, None])
def test_a_failure_that_heard_nothing_wrong_kills_nothing(differs: bool | None) -> None:
    report = judged([*on_right("m::test_a", PASSED), *on("m::test_a", "s01", FAILED, FAILED, differs=differs)])
    assert (report.kills, report.blind) == ((), ("s01",))


@pytest.mark.parametrize("outcome", [LATE, CRASHED, Outcome.UNDECIDED])
def test_a_timeout_or_a_crash_is_no_kill(outcome: Outcome) -> None:
    report = judged([*on_right("m::test_a", PASSED), *on("m::test_a", "s01", outcome)])
    assert (report.kills, report.stopped, report.validity) == ((), ("s01",), Validity.VALID)


def test_one_failure_on_one_right_implementation_drops_a_test() -> None:
    report = judged([*on_right("m::test_a", PASSED, PASSED, FAILED), *on("m::test_a", "s01", FAILED, FAILED)])
    assert (report.validity, report.kills, report.rejected) == (Validity.REJECTS, (), ("wheat 2",))
    assert report.call == "f(1)"


def test_a_failure_says_more_than_a_timeout() -> None:
    assert judged(on_right("m::test_a", LATE, FAILED)).validity is Validity.REJECTS
    assert judged(on_right("m::test_a", PASSED, LATE)).validity is Validity.STOPS
    assert judged(on_right("m::test_a", Outcome.SKIPPED, Outcome.SKIPPED)).validity is Validity.IDLE


def assessed(*reports: UnitReport, left: int = 0) -> SuiteAssessment:
    base = SuiteAssessment(BASE.name, BASE.sha256, 1, Standing.UNGRADABLE, shown=9, left=left)
    return conclude(base, reports, MUTANTS, CLASSES)


def unit(name: str, validity: Validity = Validity.VALID, *kills: str) -> UnitReport:
    return UnitReport(f"m::{name}", 1, validity, kills=kills)


def test_a_suite_is_thorough_where_valid_tests_kill_all_of_every_class() -> None:
    assessment = assessed(unit("test_a", Validity.VALID, "s01", "s02"), unit("test_b", Validity.VALID, "s03"))
    assert (assessment.standing, assessment.code) == (Standing.THOROUGH, ExitCode.KEPT)
    assert (assessment.seen, assessment.thoroughness, assessment.validity) == (2, Fraction(1), Fraction(1))
    assert assessment.pitfalls == {1: True, 2: True}


def test_half_a_class_is_not_seen() -> None:
    assessment = assessed(unit("test_a", Validity.VALID, "s01", "s02"))
    assert (assessment.standing, assessment.seen, assessment.missed) == (Standing.LACKING, 1, ("s03",))
    assert assessment.pitfalls == {1: True, 2: False}


def test_one_test_that_rejects_right_answers_loses_itself_only() -> None:
    good = unit("test_a", Validity.VALID, "s01", "s02", "s03")
    assessment = assessed(good, unit("test_strict", Validity.REJECTS))
    assert (assessment.standing, assessment.code) == (Standing.LACKING, ExitCode.BROKEN)
    assert (assessment.thoroughness, assessment.validity) == (Fraction(1), Fraction(1, 2))


def test_a_lottery_is_not_believed() -> None:
    """Tests that guess are dropped where they guess wrong; what is left of many guesses is no knowledge."""
    tickets = [unit(f"test_{at}", Validity.REJECTS if at % 2 else Validity.VALID, "s01", "s02") for at in range(8)]
    assert not believed(tickets)
    assessment = assessed(*tickets)
    assert (assessment.killed, assessment.seen, assessment.standing) == ((), 0, Standing.LACKING)
    assert "too many of its tests" in assessment.why
    assert believed([*tickets[:2], unit("test_x"), unit("test_y", Validity.REJECTS), unit("test_z"), unit("test_w")])


@pytest.mark.parametrize(("validity", "left"), [(Validity.STOPS, 0), (Validity.VALID, 3)])
def test_what_did_not_end_stops_a_suite(validity: Validity, left: int) -> None:
    assessment = assessed(unit("test_a", validity), left=left)
    assert (assessment.standing, assessment.code) == (Standing.STOPPED, ExitCode.UNDECIDED)


@pytest.mark.parametrize("attempt", [1, 2, 3, 9])
def test_a_learner_is_told_more_with_each_attempt_and_never_a_name(attempt: int) -> None:
    function = MUTANTS[0].witness.function
    ladder = Ladder(functions={function: Rungs((function,), "An idea.", "2.1", "odd numbers")})
    good = unit("test_a", Validity.VALID, "s01")
    bad = UnitReport("m::test_b", 1, Validity.REJECTS, "assertion", "f(1)", ("wheat folds",), (), ("s02",), ("s03",))
    page = learner_page(assessed(good, bad), MUTANTS, ladder, attempt, 80, False)
    assert "2 mistakes would pass your tests" in page
    assert "m.test_b  rejects right answers" in page
    assert re.search(r"after +f\(1\)", page)
    assert ("section 2.1" in page, "odd numbers" in page) == (attempt >= 2, attempt >= 2)
    assert ("one is seen at" in page) == (attempt >= 3)
    for secret in ("s01", "s02", "s03", "folds", *(each.title for each in MUTANTS)):
        assert secret not in page
    assert page.strip().splitlines()[-1].endswith("(exit code 1)")


def test_staff_are_told_everything() -> None:
    bad = UnitReport("m::test_b", 1, Validity.REJECTS, "assertion", "f(1)", ("wheat folds",), (), ("s02",), ("s03",))
    page = staff_page(assessed(unit("test_a", Validity.VALID, "s01"), bad), MUTANTS, 100, False)
    for word in ("wheat folds", "s01", "s02", "s03", "f(1)", MUTANTS[2].title, "bubblewrap"):
        assert word in page


def test_a_document_names_mutants_for_staff_alone() -> None:
    assessment = assessed(unit("test_a", Validity.VALID, "s01"))
    (open_,), (closed,) = (suite_document([assessment], staff)["suites"] for staff in (True, False))
    assert (open_["killed"], open_["tests"][0]["kills"]) == (["s01"], ["s01"])
    assert (closed["killed"], closed["missed"], closed["tests"][0]["kills"]) == (1, 2, 1)
    assert "rejected" not in closed["tests"][0]
    assert open_["thoroughness"] == closed["thoroughness"] == 0.5


def test_a_folder_is_a_table() -> None:
    ungradable = SuiteAssessment("test_none.py", "", 1, Standing.UNGRADABLE, "it has no test")
    page = table_page([assessed(unit("test_a", Validity.VALID, "s01", "s02")), ungradable], 120, False)
    assert "50.0%" in page
    assert "2/3" in page
    assert "it has no test" in page
