"""Whole projects of a few lines through the real command: each gives its exit code and one clear message."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from acidtest.mutants.tests import tiny
from acidtest.reports.tests.waiting import wait_for_trials

COMMAND = "import sys; from acidtest.reports.cli import main; sys.exit(main())"


def acidtest(folder: Path, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run the command in a folder, as its own process."""
    return subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments],
        cwd=folder,
        env={**os.environ, "COLUMNS": "100", **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def mutated(before: str, after: str) -> Callable[[str], str]:
    """Return an edit of an entry's text that must find what it replaces."""

    def edit(text: str) -> str:
        assert before in text
        return text.replace(before, after)

    return edit


def entries(name: str, edit: Callable[[str], str]) -> dict[str, str]:
    """Return the tiny catalog with one entry edited."""
    full = next(entry for entry in tiny.ENTRIES if entry.startswith(name))
    return {**tiny.ENTRIES, full: edit(tiny.ENTRIES[full])}


def test_a_well_tested_project_keeps_every_promise(tmp_path: Path) -> None:
    result = acidtest(tiny.project(tmp_path), "run", "--no-generated", "--json", "out.json")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "2 of 2 kept" in result.stdout
    assert json.loads((tmp_path / "out.json").read_text())["exit_code"] == 0


def test_a_project_with_a_gap_names_the_survivor(tmp_path: Path) -> None:
    tests = tiny.TESTS.replace("assert scale(3) == 6", "assert scale(2) == 4")
    result = acidtest(tiny.project(tmp_path, tests=tests), "run", "--no-generated")
    assert result.returncode == 1
    assert re.search(r"b02 .*survived", result.stdout)
    assert "1 of 2 kept" in result.stdout


def test_a_mutant_that_hangs_is_no_kill(tmp_path: Path) -> None:
    catalog = entries("b02", mutated('after = "value + factor"', 'after = "[value for _ in iter(int, 1)][0]"'))
    result = acidtest(tiny.project(tmp_path, entries=catalog), "run", "--no-generated", "--timeout", "1")
    assert result.returncode == 3, result.stdout + result.stderr
    assert re.search(r"b02 .*timed.out", result.stdout)
    assert "2 of 2 kept" not in result.stdout


@pytest.mark.parametrize(
    "crash",
    ["__import__('os')._exit(0)", "__import__('os').kill(__import__('os').getpid(), 11)", "len(bytearray(2**40))"],
    ids=["exit", "segfault", "memory"],
)
def test_a_mutant_that_crashes_is_no_kill(tmp_path: Path, crash: str) -> None:
    catalog = entries("b02", mutated('after = "value + factor"', f'after = "{crash}"'))
    result = acidtest(tiny.project(tmp_path, entries=catalog), "run", "--no-generated")
    assert result.returncode == 3, result.stdout + result.stderr
    assert re.search(r"b02 .*crashed", result.stdout)


def test_a_failing_baseline_gives_no_verdict(tmp_path: Path) -> None:
    tests = tiny.TESTS.replace("assert scale(3) == 6", "assert scale(3) == 7")
    result = acidtest(tiny.project(tmp_path, tests=tests), "run", "--no-generated")
    assert result.returncode == 4
    assert "test_scale_doubles" in result.stderr
    assert "score" not in result.stdout


def test_a_killer_that_does_not_exist_is_a_broken_promise(tmp_path: Path) -> None:
    catalog = entries("b01", mutated('"test_scale_stops_at_the_limit"', '"test_that_is_not_there"'))
    result = acidtest(tiny.project(tmp_path, entries=catalog), "run", "--no-generated")
    assert result.returncode == 1
    assert "test_that_is_not_there" in result.stdout
    assert "1 of 2 kept" in result.stdout


def test_a_wrong_killer_is_a_broken_promise(tmp_path: Path) -> None:
    catalog = entries("b01", mutated('"test_scale_stops_at_the_limit"', '"test_clamp_keeps_what_is_inside"'))
    result = acidtest(tiny.project(tmp_path, entries=catalog), "run", "--no-generated")
    assert result.returncode == 1
    assert re.search(r"b01 .*wrong killer", result.stdout)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            mutated('before = "return high"\nafter = "return low"', 'before = "value"\nafter = "low"'),
            "before matches 3 places in clamp",
        ),
        (mutated('before = "return high"', 'before = "return hihg"'), "before matches nothing in clamp"),
        (mutated('id = "b01"', 'id = "b01'), "b01_returns_the_low_end_above.toml"),
        (
            mutated('title = "returns the low end above"', 'title = "something else"'),
            "rename the file to b01_something_else.toml",
        ),
    ],
    ids=["twice", "nowhere", "not TOML", "file name"],
)
def test_a_faulty_entry_is_one_clear_line(tmp_path: Path, edit: Callable[[str], str], message: str) -> None:
    result = acidtest(tiny.project(tmp_path, entries=entries("b01", edit)), "run")
    assert result.returncode == 2, result.stdout + result.stderr
    assert message in result.stderr
    assert "b01_returns_the_low_end_above.toml" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert acidtest(tmp_path, "check").returncode == 1


def test_a_suite_without_tests_gives_no_verdict(tmp_path: Path) -> None:
    result = acidtest(tiny.project(tmp_path, tests="x = 1\n"), "run")
    assert result.returncode == 5
    assert "no tests" in result.stderr


def test_a_mutant_that_cannot_be_imported_is_listed_and_not_scored(tmp_path: Path) -> None:
    catalog = entries("b01", mutated('after = "return low"', 'after = "return low"'))
    source = tiny.SOURCE + "\n\nTOP = clamp(9, 0, 5)\nassert TOP == 5\n"
    result = acidtest(tiny.project(tmp_path, source=source, entries=catalog), "run", "--no-generated")
    assert re.search(r"b01 .*unviable", result.stdout), result.stdout + result.stderr
    assert result.returncode != 0


def test_check_accepts_the_tiny_catalog_and_refuses_a_lying_witness(tmp_path: Path) -> None:
    result = acidtest(tiny.project(tmp_path), "check")
    assert result.returncode == 0, result.stdout + result.stderr
    lying = entries("b01", mutated('mutant = "0"', 'mutant = "1"'))
    result = acidtest(tiny.project(tmp_path, entries=lying), "check")
    assert result.returncode == 1
    assert "b01" in result.stdout + result.stderr


def test_check_refuses_two_entries_that_answer_alike(tmp_path: Path) -> None:
    twin = tiny.ENTRIES["b01_returns_the_low_end_above.toml"]
    twin = twin.replace('id = "b01"', 'id = "b03"').replace("returns the low end above", "answers low above high")
    twin = twin.replace('after = "return low"', 'after = "return low + 0"')
    catalog = {**tiny.ENTRIES, "b03_answers_low_above_high.toml": twin}
    result = acidtest(tiny.project(tmp_path, entries=catalog), "check")
    assert result.returncode == 1
    assert "b01" in result.stdout
    assert "b03" in result.stdout


def test_check_sees_by_its_witness_an_entry_that_no_other_call_shows(tmp_path: Path) -> None:
    first = tiny.ENTRIES["b01_returns_the_low_end_above.toml"]
    catalog = dict(tiny.ENTRIES)
    for name, value in (("b03", 100), ("b04", 200)):
        entry = first.replace('id = "b01"', f'id = "{name}"').replace("returns the low end above", f"is off at {value}")
        entry = entry.replace('after = "return low"', f'after = "return high - (value == {value})"')
        entry = entry.replace("value = 9", f"value = {value}").replace('mutant = "0"', 'mutant = "4"')
        catalog[f"{name}_is_off_at_{value}.toml"] = entry
    result = acidtest(tiny.project(tmp_path, entries=catalog), "check")
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_suite_of_somebody_else_is_judged_without_the_killer_contract(tmp_path: Path) -> None:
    project = tiny.project(tmp_path / "project")
    suite = tmp_path / "suite"
    suite.mkdir()
    (suite / "test_mine.py").write_text("import box\ndef test_mine():\n    assert box.clamp(9, 0, 5) == 5\n")
    result = acidtest(project, "run", "--no-generated", "--tests", str(suite))
    assert result.returncode == 1
    assert "kept" not in result.stdout
    assert "b02" in result.stdout
    assert acidtest(project, "run", "--no-generated", "--tests", str(suite), "--fail-under", "50").returncode == 0
    assert acidtest(project, "run", "--no-generated", "--tests", str(suite), "--fail-under", "51").returncode == 1


def test_two_runs_at_once_in_one_folder_are_refused(tmp_path: Path) -> None:
    slow = tiny.TESTS + "\n\ndef test_slow():\n    import time\n    time.sleep(3)\n    assert clamp(1, 0, 5) == 1\n"
    project = tiny.project(tmp_path, tests=slow)
    first = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "run", "--no-generated"], cwd=project, stdout=subprocess.DEVNULL
    )
    try:
        wait_for_trials(project / ".acidtest", 0)
        second = acidtest(project, "run", "--no-generated")
        assert second.returncode == 5, second.stdout + second.stderr
        assert str(first.pid) in second.stderr
        assert "--state" in second.stderr
        assert len(second.stderr.strip().splitlines()) == 1
        assert "score" not in second.stdout
    finally:
        first.wait(timeout=120)
    assert first.returncode == 0


def test_an_interrupted_run_says_what_is_kept_and_goes_on(tmp_path: Path) -> None:
    slow = tiny.TESTS + "\n\ndef test_slow():\n    import time\n    time.sleep(1)\n    assert clamp(1, 0, 5) == 1\n"
    project = tiny.project(tmp_path, tests=slow)
    first = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "run", "--no-generated", "--jobs", "1"],
        cwd=project,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for_trials(project / ".acidtest", 0)
    first.send_signal(signal.SIGINT)
    _, errors = first.communicate(timeout=30)
    assert first.returncode == 130
    assert "the same command goes on" in errors
    assert acidtest(project, "run", "--no-generated", "--jobs", "1").returncode == 0


def test_a_state_folder_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    project = tiny.project(tmp_path)
    (project / ".acidtest").write_text("a file where a folder should be")
    result = acidtest(project, "run", "--no-generated")
    assert result.returncode in (2, 5)
    assert ".acidtest" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
