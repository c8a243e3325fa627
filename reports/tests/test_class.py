"""A class from end to end: killed in the middle and resumed, it comes to what it comes to undisturbed.

The short form has 60 submissions, five tests and two interruptions; the long one 1000, the chapter's nineteen tests and
five: ``ACIDTEST_LONG=1 python -m pytest -n 0 -s reports/tests/test_class.py``.
"""

import shutil
from pathlib import Path

import pytest

from acidtest.mutants.workload import embedded
from acidtest.reports.tests import class_of
from acidtest.reports.tests.class_runs import LONG, Run, grade, kept

NUMBER = 1000 if LONG else 60
STOPS = (90, 210, 400, 640, 880) if LONG else (17, 38)
SECONDS = () if LONG else ("--seconds", "4")
FLAT = 16_000
"""Kilobytes that a process may gain after the tenth submission, until caches of a fixed size are full."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """Return where the command is given: in a project of five tests, or where the shipped ones judge."""
    if LONG:
        return embedded().root
    folder = tmp_path_factory.mktemp("project")
    class_of.small(folder)
    return folder


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a class's folder."""
    return class_of.write(tmp_path_factory.mktemp("class") / "handed-in", NUMBER, looping=NUMBER // 100 + 1)


@pytest.fixture(scope="module")
def undisturbed(project: Path | None, handed_in: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, str]:
    """Return a run that nobody interrupted, and its page."""
    run = grade(project, handed_in, tmp_path_factory.mktemp("undisturbed") / "state", *SECONDS)
    run.until(NUMBER + 1)
    return run, run.page()


def test_a_class_that_was_killed_comes_to_the_same_byte_for_byte(
    project: Path | None, handed_in: Path, undisturbed: tuple[Run, str], tmp_path: Path
) -> None:
    first, page = undisturbed
    state = tmp_path / "state"
    shutil.copytree(first.state / "diagnosis", state / "diagnosis")
    for results in STOPS:
        run = grade(project, handed_in, state, *SECONDS)
        run.until(results)
        assert run.process.poll() is None, "it ended before it could be killed"
        run.kill()
    resumed = grade(project, handed_in, state, *SECONDS)
    assert resumed.page() == page
    assert kept(state) == kept(first.state)


def test_memory_is_flat_after_the_tenth(undisturbed: tuple[Run, str]) -> None:
    run, _ = undisturbed
    counts = sorted(done for done in run.rss if done >= 10)
    early, late = run.rss[counts[0]], run.rss[counts[-1]]
    print(f"\nresident at {counts[0]} and {counts[-1]} results: command {early[0]} and {late[0]} kB, ", end="")
    print(f"grader {early[1]} and {late[1]} kB")
    assert late[0] - early[0] < FLAT
    assert late[1] - early[1] < FLAT


def test_what_is_graded_is_not_judged_again(
    project: Path | None, handed_in: Path, undisturbed: tuple[Run, str]
) -> None:
    run, page = undisturbed
    again = grade(project, handed_in, run.state, *SECONDS)
    said, _ = again.process.communicate(timeout=900)
    assert "  kept " in said
    assert " judged in " not in said
    assert "\n".join(line for line in said.splitlines() if not line.startswith(("  kept", "  time"))) == page
