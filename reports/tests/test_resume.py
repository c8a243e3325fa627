"""A run that is killed at any moment goes on: the matrix is that of an uninterrupted one, and no trial has two rows.

Three kills here; ``ACIDTEST_LONG=1`` makes it twenty, on the chapter's own workload.
"""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from acidtest.mutants.tests import tiny
from acidtest.mutants.workload import find_workload
from acidtest.reports.key import texts_of

COMMAND = "import sys; from acidtest.reports.cli import main; sys.exit(main())"
LONG = os.environ.get("ACIDTEST_LONG") == "1"
KILLS = 20 if LONG else 3


def start(folder: Path, *arguments: str) -> "subprocess.Popen[bytes]":
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, "run", "--no-generated", "--quiet", *arguments], cwd=folder, **quiet
    )


def cells(path: Path) -> list[tuple[str, str, str]]:
    """Return the matrix of a JSON report, without times."""
    document = json.loads(path.read_text())
    return sorted((trial["variant"], trial["test"], trial["outcome"]) for trial in document["trials"])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with enough mutants to be killed in the middle: the chapter itself, or four entries made many."""
    if LONG:
        return tmp_path
    tests = tiny.TESTS + "\n\ndef test_slow():\n    import time\n    time.sleep(0.3)\n    assert scale(3) == 6\n"
    entries = dict(tiny.ENTRIES)
    text = tiny.ENTRIES["b02_adds_in_place_of_scaling.toml"]
    for number in range(3, 9):
        title = f"scales and adds {'n' * number}"
        entry = text.replace('id = "b02"', f'id = "b0{number}"').replace("adds in place of scaling", title)
        entry = entry.replace('"value + factor"', f'"value * factor + {number}"').replace(
            'mutant = "5"', f'mutant = "{6 + number if 6 + number < 10 else 10}"'
        )
        entries[f"b0{number}_{title.replace(' ', '_')}.toml"] = entry
    return tiny.project(tmp_path, tests=tests, entries=entries)


def test_a_run_killed_again_and_again_ends_as_if_nothing_had_happened(project: Path) -> None:
    whole = start(project, "--state", str(project / "whole"), "--json", "whole.json", "--jobs", "1")
    begun = time.monotonic()
    _, errors = whole.communicate(timeout=300)
    assert whole.returncode == 0, errors
    length = time.monotonic() - begun
    moments = random.Random(20)
    kept = 0
    for _ in range(KILLS):
        run = start(project, "--jobs", "1")
        time.sleep(moments.uniform(0.3, 0.9) * length)
        run.send_signal(signal.SIGKILL)
        run.communicate()
        kept = max(kept, rows(project)[0])
    assert kept > 0
    last = start(project, "--jobs", "1", "--json", "last.json")
    _, errors = last.communicate(timeout=300)
    assert last.returncode == 0, errors
    assert cells(project / "last.json") == cells(project / "whole.json")
    total, distinct = rows(project)
    assert total == distinct
    assert not survivors_of(project)


def test_an_interrupted_run_does_not_go_on_once_anything_it_depends_on_has_changed(tmp_path: Path) -> None:
    folder = tiny.project(tmp_path)
    (folder / "tests" / "cases.json").write_text("[1]")
    (folder / "tests" / "helpers").mkdir()
    (folder / "tests" / "helpers" / "more.py").write_text("x = 1\n")
    (folder / "conftest.py").write_text("")
    (folder / "src" / "beside.py").write_text("x = 1\n")
    found = texts_of(find_workload(folder))
    expected = {"src/box.py", "src/beside.py", "tests/test_box.py", "tests/cases.json", "tests/helpers/more.py"}
    assert expected | {"conftest.py", "pytest.ini", "pyproject.toml"} <= found.keys()


def rows(project: Path) -> tuple[int, int]:
    """Return how many trials the store holds, and how many different ones."""
    path = project / ".acidtest" / "runs.sqlite"
    if not path.exists():
        return 0, 0
    with sqlite3.connect(path, timeout=10) as connection:
        query = "select count(*), count(distinct run || ' ' || variant || ' ' || test) from trials"
        total, distinct = connection.execute(query).fetchone()
    connection.close()
    return total, distinct


def survivors_of(project: Path) -> list[str]:
    """Return the command lines of workers that outlived their lab."""
    time.sleep(1.5)
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().replace(b"\0", b" ").decode()
            folder = os.readlink(entry.parent / "cwd")
        except OSError:
            continue
        if "acidtest.mutants.worker" in words and folder == str(project):
            found.append(words)
    return found
