"""The command on a class: what is kept from one grading to the next, what is said, and what is refused."""

import csv
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from acidtest.mutants.sandbox.desk import DeskError
from acidtest.mutants.workload import embedded
from acidtest.reports import cli
from acidtest.reports.class_command import ClassOptions, grade_class
from acidtest.reports.exits import ExitCode
from acidtest.reports.grading import Scheme
from acidtest.reports.tests.test_class_marking import Script, ScriptedDesk, _NothingKnown

RIGHT, WRONG = "x = 'right'\n", "x = 'wrong'\n"


class Class:
    """A folder, and desks that do as they are told.

    Attributes:
        asked: what was put to a desk, by every grading together.
    """

    def __init__(self, top: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.state = top / "handed-in", top / "state"
        self.folder.mkdir()
        self.asked: list[str] = []
        self._capsys, self._monkeypatch = capsys, monkeypatch
        monkeypatch.setattr("acidtest.reports.diagnosing.known", lambda *_: _NothingKnown())

    def hand_in(self, **texts: str) -> None:
        for name, text in texts.items():
            (self.folder / f"{name}.py").write_text(text, "utf-8")

    def grade(self, script: Script, roster: str | None = None, **options: object) -> tuple[ExitCode, str]:
        """Return the exit code and the page."""
        desk = ScriptedDesk(script)

        @contextmanager
        def desks(*_: object) -> Iterator[list[ScriptedDesk]]:
            yield [desk]

        self._monkeypatch.setattr("acidtest.reports.class_command._desks", desks)
        chosen: dict[str, object] = {"state": self.state, "out": self.state / "out", "salt": "week 3", **options}
        if roster is not None:
            chosen["roster"] = self.state.parent / "roster.csv"
            (self.state.parent / "roster.csv").write_text(roster, "utf-8")
        code = grade_class(embedded(), self.folder, ClassOptions(**chosen), self.state)  # type: ignore[arg-type]
        self.asked += desk.asked
        return code, self._capsys.readouterr().out

    def scores(self) -> Mapping[str, str]:
        """Return what the grade book's file gives each learner."""
        with (self.state / "out" / "grades.csv").open(encoding="utf-8", newline="") as file:
            return {row["id"]: row["score"] for row in csv.DictReader(file)}


@pytest.fixture
def class_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Class:
    """Return a class without anybody in it."""
    return Class(tmp_path, monkeypatch, capsys)


def test_the_same_bytes_are_judged_once_for_all_who_handed_them_in(class_: Class) -> None:
    class_.hand_in(ada=RIGHT, bob=RIGHT, cyn=WRONG)
    code, page = class_.grade({RIGHT: ["passed"], WRONG: ["failed"]})
    assert code is ExitCode.KEPT
    assert sorted(class_.asked) == [RIGHT, WRONG]
    assert "2 passed, 1 failed" in page
    assert page.splitlines()[-1] == "GRADED  3 of 3 submissions have a verdict"


def test_another_scheme_judges_nobody_again_and_says_whose_score_moved(class_: Class) -> None:
    class_.hand_in(ada=RIGHT)
    script: Script = {RIGHT: ["passed", "failed"]}
    class_.grade(script)
    _, page = class_.grade({}, scheme=Scheme.ALL_OR_NOTHING)
    assert class_.asked == [RIGHT]
    assert "scores that moved" not in page


def test_a_regrading_says_whose_score_moved_and_why(class_: Class) -> None:
    class_.hand_in(ada=RIGHT, bob=WRONG)
    class_.grade({RIGHT: ["passed"], WRONG: ["failed"]})
    code, page = class_.grade({RIGHT: ["failed"], WRONG: ["failed"]}, regrade=True)
    assert code is ExitCode.KEPT
    moved = page[page.index("scores that moved") :]
    assert "ada  100.0% → 0.0%: nothing that a result depends on has changed" in moved
    assert "test_one: passed → failed" in moved
    assert "bob" not in moved


def test_another_submission_moves_a_score_and_counts_as_an_attempt(class_: Class) -> None:
    class_.hand_in(ada=WRONG)
    class_.grade({WRONG: ["failed"]})
    class_.hand_in(ada=RIGHT)
    _, page = class_.grade({RIGHT: ["passed"]})
    assert "ada  0.0% → 100.0%: another submission; test_one: failed → passed" in page


def test_a_grader_that_fails_never_takes_a_score_away(class_: Class) -> None:
    class_.hand_in(ada=RIGHT)
    class_.grade({RIGHT: ["passed"]})
    assert class_.scores()["ada"] not in ("", "0", "0.0")
    died = [DeskError("the grader died"), DeskError("the grader died")]
    for options in ({"regrade": True}, {"seconds": 30.0}):  # another time limit is another key
        code, page = class_.grade({RIGHT: died}, **options)
        assert code is ExitCode.INTERNAL
        assert "scores that moved" not in page
        assert "an earlier result stands: the grader died" in " ".join(page.split())
    class_.hand_in(ada=WRONG)
    code, page = class_.grade({WRONG: died})
    assert code is ExitCode.INTERNAL
    assert "scores that moved" not in page


def test_a_grader_that_fails_the_first_time_gives_no_score(class_: Class) -> None:
    class_.hand_in(ada=RIGHT)
    died = [DeskError("the grader died"), DeskError("the grader died")]
    code, page = class_.grade({RIGHT: died})
    assert code is ExitCode.INTERNAL
    assert "NOT GRADED  0 of 1 submissions have a verdict" in page
    code, page = class_.grade({RIGHT: ["passed"]})
    assert code is ExitCode.KEPT


def test_the_roster_names_who_is_missing_and_who_is_extra(class_: Class) -> None:
    class_.hand_in(ada=RIGHT, eve=RIGHT)
    code, page = class_.grade({RIGHT: ["passed"]}, roster="id,name,file\n17,Ada,ada.py\n18,Bob,bob.py\n")
    assert code is ExitCode.KEPT
    needs = " ".join(page[page.index("needs a person") :].split())
    assert "18 on the roster, and handed in nothing" in needs
    assert "eve handed in, and not on the roster: eve.py" in needs


def test_what_cannot_be_taken_is_refused_and_nobody_else(class_: Class) -> None:
    class_.hand_in(ada=RIGHT, bob=" ")
    code, page = class_.grade({RIGHT: ["passed"]})
    assert code is ExitCode.KEPT
    assert "bob.py: is empty" in page


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--unsafe"], "a class is never judged without a sandbox"),
        (["--attempt", "2"], "--attempt is for one submission"),
        (["--one", "--roster", "x.csv"], "ask for opposite things"),
        (["--roster", "absent.csv"], "No such file"),
    ],
)
def test_what_a_class_cannot_have_is_refused_in_one_line(
    options: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("ada.py", "bob.py"):
        (tmp_path / name).write_text(RIGHT, "utf-8")
    for said in ([], ["--class"]):
        if "--one" not in options or not said:
            assert cli.invoke(["grade", str(tmp_path), *said, *options]) == ExitCode.USAGE
            error = capsys.readouterr().err
            assert complaint in error
            assert len(error.splitlines()) == 1


def test_an_empty_folder_is_no_class(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.invoke(["grade", str(tmp_path), "--class", "--state", str(tmp_path / ".state")]) == ExitCode.USAGE
    assert "name the folder of a class" in capsys.readouterr().err
