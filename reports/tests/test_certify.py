"""Certificates by the real command: only what a search of D finds equal gets one, and a changed D is searched again."""

from pathlib import Path

import pytest

from acidtest.mutants.generated import generated
from acidtest.mutants.tests import tiny
from acidtest.mutants.workload import find_workload
from acidtest.reports.cli import invoke

BECAUSE = "At the bound itself both branches answer the bound."


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tiny.project(tmp_path)
    monkeypatch.chdir(folder)
    return folder


def named(folder: Path, change: str) -> str:
    """Return the id of the generated mutant whose diff has this line."""
    variants = generated(find_workload(folder), folder / ".acidtest")
    (found,) = [variant.id for variant in variants if f"+{change}\n" in variant.diff]
    return found


def test_an_equal_mutant_gets_a_certificate_and_leaves_the_run(project: Path) -> None:
    equal = named(project, "    if value <= low:")
    assert invoke(["certify", equal, "--because", BECAUSE]) == 0
    (path,) = (project / "equivalent").glob("*.toml")
    assert BECAUSE in path.read_text()
    assert 'domain = "fixed"' in path.read_text()
    assert invoke(["certify", "--check"]) == 0


def test_a_distinct_mutant_gets_none(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    distinct = named(project, "    return clamp(value / factor, 0, LIMIT)")
    assert invoke(["certify", distinct, "--because", BECAUSE]) == 1
    assert "distinct" in capsys.readouterr().out
    assert not list((project / "equivalent").glob("*.toml"))


def test_all_are_searched_again_once_d_has_changed(project: Path) -> None:
    equal = named(project, "    if value <= low:")
    assert invoke(["certify", equal, "--because", BECAUSE]) == 0
    calls = project / "calls.py"
    calls.write_text(calls.read_text().replace('return "fixed"', 'return "moved"'))
    assert invoke(["certify"]) == 0
    (path,) = (project / "equivalent").glob("*.toml")
    assert 'domain = "moved"' in path.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["certify"], "nothing is certified yet"),
        (["certify", "box.clamp.999", "--because", BECAUSE], "no generated mutant 'box.clamp.999'"),
    ],
)
def test_what_cannot_be_certified_is_one_clear_line(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert invoke(arguments) == 2
    errors = capsys.readouterr().err.strip().splitlines()
    assert message in errors[-1]


def test_a_certificate_needs_a_reason(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["certify", named(project, "    if value <= low:")]) == 2
    assert "--because is missing" in capsys.readouterr().err
