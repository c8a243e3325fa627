"""Why mutmut and the lab differ on a mutant: each reason from records that show it, and none where they do not."""

import itertools
from collections.abc import Callable

import pytest

from acidtest.mutants.agreement import Difference, differences
from acidtest.mutants.model import KillMatrix, Outcome, Status, Test, Trial
from acidtest.mutants.mutmut_verdicts import MutmutVerdict, Ran

A, B = "t.py::test_a", "t.py::test_b"
TESTS = (Test(A, "test_a"), Test(B, "test_b"))


def never(variant: str, test: str, seed: int) -> str:
    raise AssertionError("no test is to be run again")


def always(outcome: str) -> Callable[[str, str, int], str]:
    return lambda variant, test, seed: outcome


def lab(**outcomes: Outcome) -> KillMatrix:
    names = {"a": A, "b": B}
    trials = tuple(Trial("m", names[name], outcome, "assertion") for name, outcome in outcomes.items())
    return KillMatrix(TESTS, ("m",), trials)


def one(
    matrix: KillMatrix, status: Status, theirs: str, *ran: Ran, again: Callable[[str, str, int], str] = never
) -> Difference:
    verdict = MutmutVerdict("m", theirs, 1, 3.5, ran)
    (found,) = differences(matrix, {"m": status}, {"m": verdict}, again)
    return found


KILLED = lab(a=Outcome.FAILED)
SURVIVED = lab(a=Outcome.PASSED, b=Outcome.PASSED)


@pytest.mark.parametrize(
    ("status", "theirs"),
    [(Status.KILLED, "killed"), (Status.SURVIVED, "survived"), (Status.NO_COVERAGE, "no tests")],
)
def test_the_same_word_is_no_difference(status: Status, theirs: str) -> None:
    assert list(differences(KILLED, {"m": status}, {"m": MutmutVerdict("m", theirs, 1, 0.1, ())}, never)) == []


def test_a_timeout_while_a_failing_test_ran_is_shrinking() -> None:
    found = one(KILLED, Status.KILLED, "timeout", Ran(B, "passed"), Ran(A))
    assert (found.kind, A in found.reason) == ("shrinking", True)


def test_a_timeout_in_another_test_is_the_limit() -> None:
    assert one(KILLED, Status.KILLED, "timeout", Ran(B)).kind == "limit"


def test_a_timeout_that_no_record_shows_is_unexplained() -> None:
    assert one(KILLED, Status.KILLED, "timeout", Ran(B, "passed")).kind == "unexplained"


def test_a_killer_that_mutmut_did_not_run_is_its_selection() -> None:
    assert one(KILLED, Status.KILLED, "survived", Ran(B, "passed")).kind == "selection"
    assert one(KILLED, Status.KILLED, "no tests").kind == "selection"


def test_an_outcome_that_changes_with_the_seed_hangs_on_the_examples() -> None:
    outcomes = itertools.cycle(["failed", "passed"])
    found = one(KILLED, Status.KILLED, "survived", Ran(A, "passed"), again=lambda variant, test, seed: next(outcomes))
    assert found.kind == "examples"
    assert one(KILLED, Status.KILLED, "survived", Ran(A, "passed"), again=always("passed")).kind == "examples"


def test_an_outcome_that_no_seed_changes_is_put_down_to_the_trampoline() -> None:
    assert one(KILLED, Status.KILLED, "survived", Ran(A, "passed"), again=always("failed")).kind == "trampoline"
    theirs = Ran(A, "failed", "AssertionError")
    assert one(SURVIVED, Status.SURVIVED, "killed", theirs, again=always("passed")).kind == "trampoline"
    assert one(SURVIVED, Status.SURVIVED, "killed", theirs, again=always("failed")).kind == "examples"


@pytest.mark.parametrize("error", ["DeadlineExceeded", "FailedHealthCheck", "FlakyFailure"])
def test_what_hypothesis_refuses_is_no_kill_here(error: str) -> None:
    assert one(SURVIVED, Status.SURVIVED, "killed", Ran(A, "failed", error)).kind == "hypothesis"


def test_a_timeout_of_the_lab_is_its_limit() -> None:
    assert one(lab(a=Outcome.TIMED_OUT), Status.TIMED_OUT, "killed", Ran(A, "failed", "X")).kind == "limit"
    assert one(lab(a=Outcome.UNVIABLE), Status.UNVIABLE, "killed", Ran(A, "failed", "X")).kind == "import"


def test_an_exit_code_without_records_is_unexplained() -> None:
    assert one(SURVIVED, Status.SURVIVED, "killed").kind == "unexplained"
    assert one(SURVIVED, Status.SURVIVED, "suspicious").kind == "unexplained"
