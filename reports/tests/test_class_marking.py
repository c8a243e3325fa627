"""What is done with a class's submissions: tried again or not, kept or not, and who never overwrites what."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from acidtest.mutants.model import Outcome, Test, Trial
from acidtest.mutants.sandbox.desk import Desk, DeskError, Judged, SandboxRefusedError
from acidtest.mutants.sandbox.intake import Submission, checked
from acidtest.mutants.sandbox.intake_text import IntakeError
from acidtest.mutants.workload import embedded
from acidtest.reports.assessing import Assessor, Terms
from acidtest.reports.gradebook import Grade, GradeBook, Grading
from acidtest.reports.grading import Assessment, Scheme, Standing, ran_out
from acidtest.reports.marking import Read, mark
from acidtest.reports.moves import SAME, moves_of

TEST = "test_few.py::test_one"
Script = Mapping[str, Sequence[str | DeskError]]


class ScriptedDesk(Desk):
    """A desk that says of each submission, by its text, what it was told to say: an outcome, or what went wrong.

    Attributes:
        asked: the submissions that were put to it, and how many other desks were busy.
    """

    busy = 0
    lock = threading.Lock()

    def __init__(self, script: Script) -> None:
        self.tier = 1
        self._left: Mapping[str, Iterator[str | DeskError]] = {text: iter(says) for text, says in script.items()}
        self.asked: list[str] = []

    def begin(self) -> None:
        """Nothing is to be started."""

    def tests(self) -> tuple[Test, ...]:
        """Return the one test."""
        return (Test(TEST, "test_one"),)

    def judge(self, submission: Submission, seed: int, tests: Sequence[str], *_: object, **__: object) -> Judged:
        """Do as the script says."""
        text = submission.files["rejection.py"].decode()
        self.asked.append(text)
        says = next(self._left[text])
        if isinstance(says, DeskError):
            raise says
        reason = "the guest was killed: SIGKILL" if says == "crashed" else ""
        return Judged((Trial("", TEST, Outcome(says), reason),))

    def close(self, patience: float = 5.0) -> None:
        """Nothing is to be ended."""


@pytest.fixture
def assessor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Assessor:
    """Return one that asks no battery, so that nothing is diagnosed."""
    monkeypatch.setattr("acidtest.reports.diagnosing.known", lambda *_: _NothingKnown())
    return Assessor(embedded(), tmp_path, Terms())


class _NothingKnown:
    calls: tuple[Any, ...] = ()


def readers_of(*texts: str) -> dict[str, Read]:
    submissions = [checked("ada.py", {"rejection.py": text.encode()}) for text in texts]
    return {one.sha256: _reading(one) for one in submissions}


def _reading(submission: Submission) -> Callable[[], Submission]:
    return lambda: submission


def sha_of(text: str) -> str:
    return next(iter(readers_of(text)))


def begun(book: GradeBook, key: str = "key", anew: bool = False) -> Grading:
    return book.begin("class", key, Scheme.BY_TEST, {}, anew)


def test_what_ran_out_of_something_is_tried_once_more_and_alone(assessor: Assessor, tmp_path: Path) -> None:
    script: Script = {
        "a": ["passed"],
        "b": ["timed_out", "passed", "passed"],
        "c": ["crashed", "crashed"],
        "d": ["failed"],
    }
    desks = [ScriptedDesk(script), ScriptedDesk(script)]
    desks[1]._left = desks[0]._left
    with GradeBook(tmp_path) as book:
        grading = begun(book)
        marked = mark(readers_of(*script), assessor, desks, grading)
        results = {text: grading.result(sha_of(text)) for text in script}
    assert marked.judged == 6
    assert desks[0].asked[-3:] == ["b", "b", "c"]  # the first desk alone, in the class's order
    found = {text: (one.assessment.standing, one.retried) for text, one in results.items() if one}
    assert found == {
        "a": (Standing.PASSED, False),
        "b": (Standing.PASSED, True),
        "c": (Standing.STOPPED, True),
        "d": (Standing.FAILED, False),
    }


THREE = (Test("one", "test_one"), Test("two", "test_two"), Test("three", "test_three"))


class SlowDesk(ScriptedDesk):
    """A desk at which each test comes to the next of what the script has for it.

    Attributes:
        orders: the tests of each order.
    """

    def __init__(self, script: Mapping[str, Sequence[str | DeskError]]) -> None:
        super().__init__(script)
        self.orders: list[list[str]] = []

    def tests(self) -> tuple[Test, ...]:
        """Return three tests."""
        return THREE

    def judge(self, submission: Submission, seed: int, tests: Sequence[str], *_: object, **__: object) -> Judged:
        """Do as the script says."""
        self.orders.append([*tests])
        trials = []
        for test in tests:
            says = next(self._left[test])
            if isinstance(says, DeskError):
                raise says
            reason = "the guest was killed: SIGKILL" if says == "crashed" else ""
            trials.append(Trial("", test, Outcome(says), reason, seconds=float(len(self.orders))))
        return Judged(tuple(trials))


ALL = ["one", "two", "three"]


@pytest.mark.parametrize("interrupted", [False, True])
@pytest.mark.parametrize(
    ("script", "orders", "stands"),
    [
        ({"one": ["passed"], "two": ["timed_out", "timed_out"], "three": ["timed_out"]}, [ALL, ["two"]], 1.0),
        (
            {"one": ["crashed", "crashed"], "two": ["crashed"], "three": ["timed_out", "timed_out"]},
            [ALL, ["one"], ["three"]],
            1.0,
        ),
        (
            {"one": ["passed", "passed"], "two": ["timed_out", "passed", "passed"], "three": ["timed_out"] * 2},
            [ALL, ["two"], ALL],
            3.0,
        ),
        (
            {"one": ["crashed", "timed_out", "passed"], "two": ["passed"] * 2, "three": ["passed"] * 2},
            [ALL, ["one"], ALL],
            3.0,
        ),
        (
            {"one": ["passed"] * 2, "two": ["timed_out", DeskError("died"), "passed"], "three": ["passed"] * 2},
            [ALL, ["two"], ALL],
            3.0,
        ),
        (
            {"one": ["passed"] * 2, "two": ["timed_out", "passed", DeskError("died")], "three": ["passed"] * 2},
            [ALL, ["two"], ALL],
            1.0,
        ),
    ],
    ids=["confirmed", "both-kinds", "not-confirmed", "otherwise", "fault-at-first", "fault-at-last"],
)
def test_what_ran_out_stands_if_its_first_test_does_so_alone(
    assessor: Assessor,
    tmp_path: Path,
    script: Mapping[str, Sequence[str | DeskError]],
    orders: list[list[str]],
    stands: float,
    interrupted: bool,
) -> None:
    desk = SlowDesk(script)
    if interrupted:
        with GradeBook(tmp_path) as book:
            (submission,) = (read() for read in readers_of("a").values())
            begun(book).record(assessor.judge(submission, "ada.py", desk), retried=None)
    with GradeBook(tmp_path) as book:
        grading = begun(book)
        mark(readers_of("a"), assessor, [desk], grading)
        result = grading.result(sha_of("a"))
    assert desk.orders == orders
    assert result is not None
    assert result.retried is True
    assert {trial.seconds for trial in result.assessment.trials} == {stands}


def test_a_crash_that_the_submission_asked_for_is_not_tried_again() -> None:
    asked = Trial("", TEST, Outcome.CRASHED, "the guest ended: exit status 0")
    killed = Trial("", TEST, Outcome.CRASHED, "the guest was killed: SIGXCPU")
    for trial, again in ((asked, False), (killed, True), (Trial("", TEST, Outcome.FAILED), False)):
        assert ran_out(trial) is again


def test_an_internal_fault_is_tried_again_and_leaves_no_result(assessor: Assessor, tmp_path: Path) -> None:
    script: Script = {
        "a": [DeskError("the grader died"), "passed"],
        "b": [DeskError("once"), DeskError("the grader died twice")],
    }
    with GradeBook(tmp_path) as book:
        grading = begun(book)
        marked = mark(readers_of(*script), assessor, [ScriptedDesk(script)], grading)
        assert grading.result(sha_of("a")) is not None
        assert grading.result(sha_of("b")) is None
    assert marked.faults == {sha_of("b"): "the grader died twice"}


def test_an_internal_fault_of_a_regrading_leaves_the_result_as_it_was(assessor: Assessor, tmp_path: Path) -> None:
    with GradeBook(tmp_path) as book:
        first = begun(book)
        mark(readers_of("a"), assessor, [ScriptedDesk({"a": ["passed"]})], first)
        first.finish([], [])
        again = begun(book, anew=True)
        desk = ScriptedDesk({"a": [DeskError("died"), DeskError("died again")]})
        marked = mark(readers_of("a"), assessor, [desk], again)
        result = again.result(sha_of("a"))
    assert marked.faults == {sha_of("a"): "died again"}
    assert result is not None
    assert result.assessment.standing is Standing.PASSED


def test_a_result_stands_until_something_that_it_depends_on_changes(assessor: Assessor, tmp_path: Path) -> None:
    for key, anew, judged in (("key", False, 1), ("key", False, 0), ("other", False, 1), ("key", True, 1)):
        with GradeBook(tmp_path) as book:
            grading = begun(book, key, anew)
            assert mark(readers_of("a"), assessor, [ScriptedDesk({"a": ["passed"]})], grading).judged == judged
            grading.finish([], [])


def test_an_interrupted_regrading_goes_on(assessor: Assessor, tmp_path: Path) -> None:
    script: Script = {"a": ["passed", "failed"], "b": ["passed", "failed"]}
    desk = ScriptedDesk(script)
    with GradeBook(tmp_path) as book:
        grading = begun(book)
        mark(readers_of("a", "b"), assessor, [desk], grading)
        grading.finish([], [])
        mark(readers_of("a"), assessor, [desk], begun(book, anew=True))  # it never ends
    with GradeBook(tmp_path) as book:
        assert mark(readers_of("a", "b"), assessor, [desk], begun(book, anew=True)).judged == 1
    assert desk.asked == ["a", "b", "a", "b"]


def test_a_try_that_is_due_is_made_after_an_interruption(assessor: Assessor, tmp_path: Path) -> None:
    with GradeBook(tmp_path) as book:
        trials = (Trial("", TEST, Outcome.TIMED_OUT),)
        waiting = Assessment("", sha_of("a"), 0, 1, Standing.STOPPED, trials=trials)
        begun(book).record(waiting, retried=None)
    with GradeBook(tmp_path) as book:
        grading = begun(book)
        assert mark(readers_of("a"), assessor, [ScriptedDesk({"a": ["passed", "passed"]})], grading).judged == 1
        result = grading.result(sha_of("a"))
    assert result is not None
    assert (result.assessment.standing, result.retried) == (Standing.PASSED, True)


def test_a_file_that_changes_meanwhile_is_not_judged(assessor: Assessor, tmp_path: Path) -> None:
    def gone() -> Submission:
        raise IntakeError("ada.py: there is no such file")

    readers: dict[str, Read] = {"one": next(iter(readers_of("a").values())), "other": gone}
    with GradeBook(tmp_path) as book:
        marked = mark(readers, assessor, [ScriptedDesk({})], begun(book))
    assert marked.judged == 0
    assert all("changed while the class was graded" in why for why in marked.faults.values())


def test_a_sandbox_that_does_not_hold_ends_the_grading(assessor: Assessor, tmp_path: Path) -> None:
    script: Script = {"a": ["passed"], "b": [SandboxRefusedError("no sandbox can be built")]}
    with GradeBook(tmp_path) as book:
        grading = begun(book)
        with pytest.raises(SandboxRefusedError, match="no sandbox"):
            mark(readers_of(*script), assessor, [ScriptedDesk(script)], grading)
        assert grading.settled(sha_of("a"))


def test_an_error_nobody_thought_of_is_a_fault_and_no_verdict(assessor: Assessor, tmp_path: Path) -> None:
    with GradeBook(tmp_path) as book:
        marked = mark(readers_of("a"), assessor, [ScriptedDesk({})], begun(book))
    assert marked.faults[sha_of("a")].startswith("KeyError")


def grade_of(learner: str, score: str | None, outcome: str = "passed", sha256: str = "x", key: str = "key") -> Grade:
    return Grade(learner, sha256, key, None if score is None else Fraction(score), {TEST: outcome})


def test_moves_say_whose_score_and_why(tmp_path: Path) -> None:
    before = [
        grade_of("ada", "1"),
        grade_of("bob", "1"),
        grade_of("cyn", "1"),
        grade_of("dan", "1"),
        grade_of("eve", "1/2"),
        grade_of("fay", "1"),
    ]
    after = [
        grade_of("ada", "1", key="other"),
        grade_of("bob", "0", "failed", key="other"),
        grade_of("cyn", "0", "failed", sha256="y", key="other"),
        grade_of("dan", "0", "failed"),
        grade_of("eve", None, "failed", key="other"),
        grade_of("new", "1"),
    ]
    with GradeBook(tmp_path) as book:
        first = begun(book)
        assert first.past() is None
        first.finish(before, [])
        past = begun(book, "other").past()
    assert past is not None
    moves = {move.id: move for move in moves_of(past, after, Scheme.BY_TEST, ("numpy 2.1 → 2.2",))}
    failed = "test_one: passed → failed"
    assert {name: move.why for name, move in moves.items()} == {
        "bob": ("numpy 2.1 → 2.2", failed),
        "cyn": ("another submission", "numpy 2.1 → 2.2", failed),
        "dan": (SAME, failed),
        "eve": ("numpy 2.1 → 2.2", failed),
        "fay": ("no longer in the class",),
    }
    assert (moves["bob"].before, moves["bob"].after, moves["eve"].after) == (Fraction(1), Fraction(0), None)


def test_attempts_count_different_submissions(tmp_path: Path) -> None:
    with GradeBook(tmp_path) as book:
        grading = begun(book)
        assert grading.attempts("ada", "first") == 1
        grading.finish([], [("ada", "first"), ("bob", "first")])
        later = begun(book, "other")
        assert later.attempts("ada", "first") == 1
        assert later.attempts("ada", "second") == 2
        assert later.attempts("ada", "") == 1
        assert later.attempts("cyn", "first") == 1
