"""Gaps of a suite, through the real command: each survivor gets a call and a test, and the module passes as it is."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from acidtest.mutants.tests import tiny
from acidtest.mutants.workload import embedded
from acidtest.reports.proving import prove_text, wheats_of
from acidtest.reports.suite_copy import without
from acidtest.reports.tests.test_tiny_projects import acidtest

PARTLY = """
from hypothesis import given, strategies as st
from box import clamp, scale


@given(st.integers(-4, 4))
def test_clamp_is_the_middle_one(value):
    assert clamp(value, 0, 5) == sorted((value, 0, 5))[1]


def test_scale_doubles():
    assert scale(2) == 4
"""


def test_every_gap_is_closed_by_the_test_that_is_written(tmp_path: Path) -> None:
    made = tiny.project(tmp_path, tests=PARTLY)
    assert acidtest(made, "run", "--no-generated").returncode == 1
    result = acidtest(made, "gaps", "--write", "tests/test_gaps.py")
    assert result.returncode == 1, result.stdout + result.stderr
    assert re.search(r"survivors +2: 2 distinct", result.stdout), result.stdout
    assert re.search(r"call +scale\(value=-?\d+\)", result.stdout)
    assert re.search(r"nearest +test_box.py::test_scale_doubles calls scale\(value=2\)", result.stdout)
    assert "right above test_clamp_is_the_middle_one in tests/test_box.py" in result.stdout
    assert re.search(r"^from hypothesis import example\n@example\(value=\d+\)$", result.stdout, re.MULTILINE)
    assert re.search(r"^import box\n\n\ndef test_b01_", result.stdout, re.MULTILINE)
    written = (made / "tests" / "test_gaps.py").read_text()
    assert written.count("def test_") == 2
    assert acidtest(made, "run", "--no-generated", "--first-kill").returncode == 0
    pytest = [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", "tests/test_gaps.py"]
    path = {"PYTHONPATH": "src", "PATH": ""}
    alone = subprocess.run(pytest, cwd=made, capture_output=True, text=True, check=False, env=path)
    assert alone.returncode == 0, alone.stdout


def test_a_test_that_is_deleted_comes_back(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    suite.mkdir()
    for name in ("conftest.py", "test_sampler.py"):
        shutil.copy(embedded().root / "properties" / name, suite)
    without(suite / "test_sampler.py", "test_rejection_sample_accepts_the_exact_envelope")
    assert acidtest(tmp_path, "run", "--tests", "suite", "--only", "s46").returncode == 1
    result = acidtest(tmp_path, "gaps", "--tests", "suite", "--write", "suite/test_gaps.py")
    assert result.returncode == 1, result.stdout + result.stderr
    assert "passes on the reference and on 7 other right implementations; fails on s46" in result.stdout
    assert "from tinyllm.prob import rejection" in (suite / "test_gaps.py").read_text()
    assert acidtest(tmp_path, "run", "--tests", "suite", "--only", "s46").returncode == 0


def test_a_suite_without_gaps_has_nothing_to_paste(tmp_path: Path) -> None:
    made = tiny.project(tmp_path)
    assert acidtest(made, "run", "--no-generated").returncode == 0
    result = acidtest(made, "gaps", "--write", "gaps.py")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "survivors  0" in result.stdout
    assert not (made / "gaps.py").exists()


def test_what_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    made = tiny.project(tmp_path)
    for arguments, word in (
        (("gaps", "7"), "run 7"),
        (("gaps", "--write", "nowhere/gaps.py"), "nowhere"),
        (("gaps", "7", "--tests", "tests"), "--tests"),
    ):
        result = acidtest(made, *arguments)
        assert result.returncode == 2, result.stdout + result.stderr
        assert word in result.stderr
        assert len(result.stderr.strip().splitlines()) == 1


def test_each_wheat_stands_for_the_module_that_it_replaces() -> None:
    wheats = wheats_of(embedded())
    assert len(wheats) == 7
    assert {wheat.module for wheat in wheats} == {"tinyllm.prob.rejection"}


def test_a_test_that_insists_on_what_nobody_promised_is_not_shown(tmp_path: Path) -> None:
    workload = tiny.workload(tmp_path, wheats=tmp_path / "wheats")
    (tmp_path / "wheats").mkdir()
    (tmp_path / "wheats" / "floats.py").write_text(tiny.SOURCE.replace("return low", "return float(low)"))
    wrong = tiny.variant(workload, "wrong", "clamp", "return low", "return high")
    text = (
        "import box\n\n\ndef test_good():\n    assert box.clamp(-1, 0, 5) == 0\n\n\n"
        "def test_picky():\n    assert type(box.clamp(-1, 0, 5)) is int and box.clamp(-1, 0, 5) == 0\n\n\n"
        "def test_blind():\n    assert box.clamp(1, 0, 5) == 1\n\n\n"
        "def test_false():\n    assert box.clamp(-1, 0, 5) == 5\n"
    )
    names = ("test_good", "test_picky", "test_blind", "test_false")
    proofs = prove_text(workload, text, dict.fromkeys(names, wrong))
    assert [proofs[name].holds for name in names] == [True, False, False, False]
    assert "wheat floats" in proofs["test_picky"].why
    assert "passed" in proofs["test_blind"].why
    assert "reference" in proofs["test_false"].why
