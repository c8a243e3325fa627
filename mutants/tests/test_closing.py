"""The run's last word: every test once more, with an edit in place that changes nothing."""

from pathlib import Path

import pytest

from acidtest.mutants.model import Run
from acidtest.mutants.tests import tiny
from acidtest.mutants.workload import Workload

NOTES = """
import pathlib
import box
FIRST = box.clamp.__code__


def test_without_the_target():
    note("apart")


def test_with_it():
    box.clamp(1, 2, 3)
    note("as at first" if box.clamp.__code__ is FIRST else "in its place")


def note(word):
    with pathlib.Path({path!r}).open("a") as file:
        file.write(word + "\\n")
    fail = {fail!r}
    assert pathlib.Path({path!r}).read_text().split("\\n").count(fail) < 3, "once too often"
"""


def noted(folder: Path, fail: str = "") -> tuple[Workload, Path]:
    """A workload whose tests note each of their runs, and fail when they note ``fail`` for the third time."""
    path = folder / "notes"
    return tiny.workload(folder, tests=NOTES.format(path=str(path), fail=fail or "never")), path


def after(box: Workload, jobs: int = 1) -> Run:
    return tiny.run(box, tiny.variant(box, "m1", "scale", "value * factor", "value"), jobs=jobs)


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_baseline_after_the_run_takes_the_road_of_a_variant(tmp_path: Path, jobs: int) -> None:
    box, path = noted(tmp_path)
    run = after(box, jobs)
    assert run.problems == ()
    assert run.controls[0].id == "control:unchanged:box"
    words = path.read_text().split()
    assert words.count("apart") == 3  # alone, in sequence, and at the end: the unchanged control is no run besides
    assert "in its place" in path.read_text().splitlines()[-2:]


def test_a_test_that_fails_only_after_the_run_is_a_problem_by_both_names(tmp_path: Path) -> None:
    box, _ = noted(tmp_path, fail="apart")
    run = after(box)
    name = "tests/test_box.py::test_without_the_target"
    found = f"{name} failed (assertion: once too often)"
    assert f"baseline after the run: {found}" in run.problems
    assert any(text.startswith(f"control control:unchanged:box: {name} failed") for text in run.problems)


def test_the_tests_are_timed_by_it(tmp_path: Path) -> None:
    box, _ = noted(tmp_path)
    assert all(test.seconds > 0 for test in after(box).baseline.tests)
