"""The command witness: what it prints, and the exit code that says which of the three it is."""

from pathlib import Path

import pytest

from acidtest.mutants.tests import tiny
from acidtest.reports.cli import invoke

OTHER = '''
"""Clamp and scale, written in another way."""

LIMIT = 10


def clamp(value, low, high):
    return min(max(value, low), high)


def scale(value, factor=2):
    return clamp({product}, 0, LIMIT)
'''


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tiny.project(tmp_path)
    monkeypatch.chdir(folder)
    return folder


def test_mutant_is_told_from_the_reference(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["witness", "b01"]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "b01 returns the low end above verdict distinct" in out
    assert "witness clamp(value=6, low=0, high=5) reference 5 b01 0" in out
    assert "D holds 34 calls (hash fixed)" in out


def test_file_that_answers_alike_is_equal_on_d(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "box.py").write_text(OTHER.format(product="value * factor"))
    assert invoke(["witness", "box.py"]) == 0
    assert "equal on D" in capsys.readouterr().out


def test_two_files_are_compared_with_each_other(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "box.py").write_text(OTHER.format(product="value + factor"))
    assert invoke(["witness", "b02", "box.py"]) == 0
    assert invoke(["witness", "b01", "box.py"]) == 1


def test_search_that_does_not_end_is_undecided(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "box.py").write_text(OTHER.format(product="value") + "\nimport no_such_module\n")
    assert invoke(["witness", "box.py"]) == 3
    out = " ".join(capsys.readouterr().out.split())
    assert "verdict undecided because the mutant cannot be imported: ModuleNotFoundError" in out


def test_unfinished_file_lacks_a_function(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "box.py").write_text(
        "LIMIT = 10\n\n\ndef clamp(value, low, high):\n    return min(max(value, low), high)\n"
    )
    assert invoke(["witness", "box.py"]) == 1
    assert "is missing" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["b09"], "no mutant 'b09'"),
        (["none.py"], "cannot be read as text"),
        (["b01", "b02", "b01"], "3 names; give one to compare with the reference, or two to compare"),
    ],
)
def test_wrong_names_are_usage_errors(
    project: Path, capsys: pytest.CaptureFixture[str], names: list[str], message: str
) -> None:
    assert invoke(["witness", *names]) == 2
    assert message in capsys.readouterr().err
