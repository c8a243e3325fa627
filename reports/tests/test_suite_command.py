"""`acidtest grade-suite` on a few mutants: tests that see them earn that, and whoever does without seeing does not."""

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from acidtest.mutants.sandbox.suite_desk import SuiteLimits
from acidtest.mutants.tests.suites import write_own_suite
from acidtest.mutants.workload import Workload, embedded
from acidtest.reports import cli_grade
from acidtest.reports.cli import invoke
from acidtest.reports.exits import ExitCode
from acidtest.reports.suite_command import suites_at
from acidtest.reports.suite_examining import SuiteExaminer, SuiteTerms
from acidtest.reports.suite_grading import Standing, SuiteAssessment, Validity

LONG = bool(os.environ.get("ACIDTEST_LONG"))
TERMS = SuiteTerms(jobs=1, limits=SuiteLimits(call_seconds=1.0, test_seconds=3.0))
ENTRIES = ("s01", "s05", "s14", "s17")

GOOD = """
import numpy as np
from hypothesis import given, strategies as st
from tinyllm.prob import rejection
from tinyllm.prob.rejection import residual_distribution

P, Q = np.array([0.5, 0.25, 0.25, 0.0]), np.array([0.25, 0.5, 0.0, 0.25])


class Scripted:
    def __init__(self, *values):
        self.values = list(values)
    def random(self):
        return self.values.pop(0)


def test_strict():
    assert not rejection.rejection_accept(0.25, 0.5, 0.5)

@given(st.integers(0, 16))
def test_residual(k):
    p = np.array([k / 16, 1 - k / 16])
    residual = residual_distribution(p, np.array([0.5, 0.5]))
    assert residual[1 if k < 8 else 0] == 1 or k == 8
    assert not np.shares_memory(residual, p)

def test_equal():
    assert residual_distribution(P, P) is not P

def test_tries():
    assert rejection.rejection_sample([0.5, 0.5], [0.5, 0.5], 1.0, Scripted(0.25, 0.5)) == (0, 1)
"""
STRICT = """
def test_exact_message():
    try:
        rejection.rejection_accept(0.5, 0.5, 1.0)
    except ValueError as error:
        assert str(error) == "u = 1.0 must be in [0, 1)"
"""
HOSTILE = '''
import gc, hashlib, inspect, os, time
from tinyllm.prob import rejection

SEEN = []


def wrong():
    """Hear something that no right implementation says, from s01."""
    return rejection.rejection_accept(0.25, 0.5, 0.5)

def test_hashes_the_source():
    wrong()
    text = inspect.getsource(type) if False else repr(rejection.rejection_accept.__code__.co_code)
    for each in gc.get_objects():
        if inspect.isfunction(each) and each.__module__.startswith("tinyllm"):
            text += repr(each.__code__.co_consts)
    for place in ("/tinyllm/prob/rejection.py", getattr(rejection, "__file__", "") or "/none"):
        try:
            text += open(place).read()
        except OSError:
            pass
    for frame in inspect.stack():
        text += frame.filename
    SEEN.append(hashlib.sha256(text.encode()).hexdigest())
    assert len(set(SEEN)) == 1 and "u <= p_x" not in text

def test_flips_coins():
    wrong()
    assert os.urandom(1)[0] < 26

def test_counts_its_runs():
    wrong()
    SEEN.append(1)
    os.environ["RUNS"] = os.environ.get("RUNS", "") + "x"
    try:
        open("/tmp/runs", "a").write("x")
    except OSError:
        pass
    assert len(SEEN) == 1 and os.environ["RUNS"] == "x" and not os.path.exists("/tmp/runs")

def test_decides_by_its_place():
    wrong()
    assert os.getpid() < 12

def test_times_out():
    wrong()
    while True:
        pass

def test_asserts_false():
    wrong()
    assert False

def test_forges_a_failure():
    wrong()
    line = [each for each in gc.get_objects() if type(each).__name__ == "Line"][0]
    for words in ('["+","item","x","failed","assertion"]', '["+","done"]'):
        line.send(words)
        line.receive()
    os._exit(0)
'''


def small(folder: Path, wheats: tuple[str, ...] = ("plain_loops", "generators")) -> Workload:
    """Return the workload with a few of its mutants, right implementations and tests."""
    whole = embedded()
    (folder / "catalog").mkdir()
    (folder / "wheats").mkdir()
    for name in ENTRIES:
        (entry,) = whole.catalog.glob(f"{name}_*.toml")
        shutil.copy(entry, folder / "catalog")
    assert whole.wheats is not None
    for name in wheats:
        shutil.copy(whole.wheats / f"{name}.py", folder / "wheats")
    tests = tuple(path for path in whole.tests if path.stem in ("test_accept", "test_residual", "test_sampler"))
    return replace(whole, catalog=folder / "catalog", wheats=folder / "wheats", tests=tests)


@pytest.fixture(scope="module")
def workload(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    return small(tmp_path_factory.mktemp("workload"))


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state")


@pytest.fixture(scope="module")
def examiner(workload: Workload, state: Path) -> Iterator[SuiteExaminer]:
    examiner = SuiteExaminer(workload, state, TERMS, lambda _: None)
    try:
        yield examiner
    finally:
        examiner.close()


def examined(examiner: SuiteExaminer, folder: Path, *texts: str) -> SuiteAssessment:
    path = folder / "test_mine.py"
    path.write_text("".join(texts), encoding="utf-8")
    return examiner.examine(path)


@pytest.fixture(scope="module")
def good(examiner: SuiteExaminer, tmp_path_factory: pytest.TempPathFactory) -> SuiteAssessment:
    return examined(examiner, tmp_path_factory.mktemp("good"), GOOD)


def test_tests_that_see_every_mistake_are_thorough(good: SuiteAssessment) -> None:
    assessment = good
    assert (assessment.why, assessment.missed) == ("", ())
    assert (assessment.standing, assessment.code) == (Standing.THOROUGH, ExitCode.KEPT)
    assert {unit.name: set(unit.kills) for unit in assessment.units} == {
        "test_mine::test_strict": {"s01"},
        "test_mine::test_residual": {"s05", "s14"},
        "test_mine::test_equal": {"s14"},
        "test_mine::test_tries": {"s17"},
    }


def test_an_overstrict_test_loses_itself_alone(examiner: SuiteExaminer, tmp_path: Path) -> None:
    assessment = examined(examiner, tmp_path, GOOD, STRICT)
    assert {unit.name for unit in assessment.units if unit.validity is not Validity.VALID} == {
        "test_mine::test_exact_message"
    }
    assert assessment.units[-1].validity is Validity.REJECTS
    assert assessment.units[-1].call == "rejection_accept(0.5, 0.5, 1.0)"
    assert (assessment.standing, assessment.thoroughness) == (Standing.LACKING, Fraction(1))


def test_who_does_not_judge_by_answers_earns_nothing(examiner: SuiteExaminer, tmp_path: Path) -> None:
    """False alarm: the coin comes up right at all 9 showings of right implementations in one run of 8e8."""
    assessment = examined(examiner, tmp_path, HOSTILE)
    found = {unit.name.removeprefix("test_mine::test_"): unit for unit in assessment.units}
    assert {name: unit.validity for name, unit in found.items()} == {
        "hashes_the_source": Validity.VALID,
        "flips_coins": Validity.REJECTS,
        "counts_its_runs": Validity.VALID,
        "decides_by_its_place": Validity.REJECTS,
        "times_out": Validity.STOPS,
        "asserts_false": Validity.REJECTS,
        "forges_a_failure": Validity.REJECTS,
    }
    assert [unit.kills for unit in assessment.units] == [()] * len(found)
    assert (assessment.killed, assessment.seen, assessment.standing) == ((), 0, Standing.LACKING)


def test_a_suite_that_only_times_out_is_stopped(examiner: SuiteExaminer, tmp_path: Path) -> None:
    assessment = examined(examiner, tmp_path, "def test_x():\n    while True:\n        pass\n")
    assert (assessment.standing, assessment.code) == (Standing.STOPPED, ExitCode.UNDECIDED)
    assert assessment.shown == 1


def test_a_suite_whose_time_is_up_says_how_much_is_left(
    workload: Workload, state: Path, tmp_path: Path, examiner: SuiteExaminer
) -> None:
    hurried = SuiteExaminer(workload, state, replace(TERMS, seconds=0.0, jobs=1), lambda _: None)
    try:
        assessment = examined(hurried, tmp_path, GOOD)
    finally:
        hurried.close()
    assert (assessment.standing, assessment.shown, assessment.left) == (Standing.STOPPED, 0, 4)


def test_the_same_suite_gets_the_same_grade_by_any_number_of_desks(
    workload: Workload, state: Path, good: SuiteAssessment, tmp_path: Path
) -> None:
    other = SuiteExaminer(workload, state, replace(TERMS, jobs=2), lambda _: None)
    try:
        again = examined(other, tmp_path, GOOD)
    finally:
        other.close()
    assert replace(again, seconds=0.0) == replace(good, seconds=0.0)


def test_no_suite_can_compute_the_order_that_it_is_shown(examiner: SuiteExaminer, state: Path, tmp_path: Path) -> None:
    examined(examiner, tmp_path, "def test_x():\n    pass\n")
    secret = state / "suite-secret"
    assert len(secret.read_bytes()) == 32
    assert secret.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def test_x(:\n", "does not compile"),
        ("x = 1\n", "it has no test"),
        ("", "is empty"),
        ("import x\n", "imported"),
    ],
)
def test_what_is_no_suite_is_ungradable(examiner: SuiteExaminer, tmp_path: Path, text: str, why: str) -> None:
    assessment = examined(examiner, tmp_path, text)
    assert (assessment.standing, assessment.code) == (Standing.UNGRADABLE, ExitCode.CANNOT_JUDGE)
    assert why in assessment.why


def test_the_own_tests_see_everything_behind_the_walls_too(
    workload: Workload, state: Path, tmp_path: Path, examiner: SuiteExaminer
) -> None:
    """The short form takes three of the modules and four mutants; the long one all modules and the whole catalog."""
    if LONG:
        whole = SuiteExaminer(embedded(), state, SuiteTerms(jobs=2, seconds=3600.0), lambda _: None)
        suite = write_own_suite(tmp_path / "suite")
    else:
        alone = replace(workload, wheats=None)
        whole = SuiteExaminer(alone, state, replace(TERMS, showings=2, jobs=2), lambda _: None)
        suite = write_own_suite(tmp_path / "suite", ("test_accept", "test_residual", "test_sampler"))
    try:
        assessment = whole.examine(suite)
    finally:
        whole.close()
    assert (assessment.why, assessment.missed) == ("", ())
    assert [unit.name for unit in assessment.units if unit.validity is not Validity.VALID] == []
    assert (assessment.standing, assessment.thoroughness) == (Standing.THOROUGH, Fraction(1))


def test_the_command_prints_the_verdict_last_and_names_no_mutant(
    workload: Workload,
    state: Path,
    tmp_path: Path,
    examiner: SuiteExaminer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    examiner.dominators()  # kept in the state folder, so that the command need not run the matrix
    monkeypatch.setattr(cli_grade, "find_workload", lambda _: workload)
    monkeypatch.setenv("COLUMNS", "100")
    path = tmp_path / "test_mine.py"
    path.write_text(GOOD.partition("def test_equal")[0].replace("def test_strict", "def not_a_test"), encoding="utf-8")
    result = tmp_path / "result.json"
    options = ["--attempt", "3", "--jobs", "1", "--state", str(state), "--json", str(result)]
    assert invoke(["grade-suite", str(path), *options]) == ExitCode.BROKEN
    page = capsys.readouterr().out
    assert page.strip().splitlines()[-1].startswith("LACKING  1 of 1 tests valid")
    assert "2 mistakes would pass your tests" in page
    assert "rejection_accept(p_x=" in page
    assert not any(name in page for name in ENTRIES)
    (suite,) = json.loads(result.read_text())["suites"]
    assert (suite["standing"], suite["killed"], suite["missed"]) == ("lacking", 2, 2)


def test_a_folder_holds_a_suite_for_each_module_and_each_folder_with_tests(tmp_path: Path) -> None:
    for place in ("test_a.py", "helper.py", "ann/test_b.py", "ann/helper.py", "notes/readme.md", "bob/own/c_test.py"):
        (tmp_path / place).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / place).write_text("x = 1\n")
    assert [path.name for path in suites_at(tmp_path, whole=False)] == ["ann", "bob", "test_a.py"]
    assert suites_at(tmp_path, whole=True) == [tmp_path]
    assert suites_at(tmp_path / "test_a.py", whole=False) == [tmp_path / "test_a.py"]


@pytest.mark.parametrize("arguments", [["nowhere.py"], ["."], [".", "--unsafe"]])
def test_what_is_not_there_is_a_usage_error(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    if "--unsafe" in arguments:
        for name in ("test_a.py", "test_b.py"):
            (tmp_path / name).write_text("def test_x():\n    pass\n")
    assert invoke(["grade-suite", *arguments]) == ExitCode.USAGE
    assert capsys.readouterr().err.startswith("acidtest: ")
