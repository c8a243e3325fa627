"""The files that `acidtest run` and `acidtest report` write for other programs: checked first, and all there."""

import json
import os
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from acidtest.mutants.workload import find_workload
from acidtest.reports.cli import invoke
from acidtest.reports.context import UsageError
from acidtest.reports.exits import ExitCode
from acidtest.reports.report_files import ReportFiles, report_without_verdict, write_files
from acidtest.reports.tests.demo import write_demo
from acidtest.reports.tests.test_run_formats import junit_tree, rows_of

Capture = pytest.CaptureFixture[str]
OPTIONS = [
    "--stryker",
    "m.json",
    "--stryker-html",
    "m.html",
    "--junit",
    "j.xml",
    "--markdown",
    "s.md",
    "--csv",
    "c.csv",
]
NAMES = OPTIONS[1::2]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a project of three functions."""
    monkeypatch.chdir(write_demo(tmp_path))
    return tmp_path


def test_a_run_writes_what_it_is_asked_for_and_a_report_of_it_the_same(project: Path, capsys: Capture) -> None:
    assert invoke(["run", "--no-generated", "--no-page", "--jobs", "1", *OPTIONS]) == ExitCode.KEPT
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines() if line.startswith("file ")] == NAMES
    by_run = {name: (project / name).read_text("utf-8") for name in NAMES}
    for name in NAMES:
        (project / name).unlink()
    assert invoke(["report", "--quick", *OPTIONS]) == ExitCode.KEPT
    assert capsys.readouterr().out.splitlines()[1:] == NAMES
    mutants = json.loads((project / "m.json").read_text("utf-8"))["files"]["demo/gate.py"]["mutants"]
    assert [(one["id"], one["status"]) for one in mutants] == [("s01", "Killed"), ("s02", "Killed")]
    for name in ("m.json", "j.xml", "c.csv"):
        assert (project / name).read_text("utf-8") == by_run[name]
    junit_tree(by_run["j.xml"])
    assert len(rows_of((project / "c.csv").read_bytes().decode())) == 1 + 2 * 2
    assert (project / "s.md").read_text("utf-8").startswith("## ✅ Every promise kept\n")
    assert "mutation-test-report-app" in (project / "m.html").read_text("utf-8")


@pytest.mark.parametrize("command", [["run"], ["report", "--quick"]])
def test_a_file_that_cannot_be_written_is_said_before_anything_is_done(
    project: Path, capsys: Capture, command: list[str]
) -> None:
    assert invoke([*command, "--csv", "nowhere/c.csv"]) == ExitCode.USAGE
    assert capsys.readouterr().err == (
        "acidtest: --csv nowhere/c.csv: no such folder; name a file in one that is there\n"
    )
    assert invoke([*command, "--junit", "x", "--stryker-html", "x"]) == ExitCode.USAGE
    assert capsys.readouterr().err == "acidtest: --junit x: that is where --stryker-html goes; name another file\n"
    assert not (project / ".acidtest").exists()


def test_a_run_that_stopped_early_says_so_first_in_every_file(project: Path, tmp_path: Path) -> None:
    workload = find_workload(project)
    report = report_without_verdict(workload, 3, "the unchanged target fails test_x", ExitCode.CANNOT_JUDGE)
    files = ReportFiles(*(tmp_path / name for name in NAMES))
    assert write_files(files, report, workload, tmp_path) == [tmp_path / name for name in NAMES]
    told = "No verdict: the unchanged target fails test_x"
    found = json.loads((tmp_path / "m.json").read_text("utf-8"))
    assert (found["config"]["verdict"], found["config"]["exitCode"]) == (told, 4)
    assert (tmp_path / "s.md").read_text("utf-8").startswith(f"## ❌ {told}\n")
    assert rows_of((tmp_path / "c.csv").read_bytes().decode())[0]["detail"] == told
    cases = [(case.get("name"), [part.tag for part in case]) for case in ET.parse(tmp_path / "j.xml").iter("testcase")]
    assert cases == [
        ("the tests pass on the unchanged code", ["skipped"]),
        ("the controls get the verdicts that are known beforehand", ["skipped"]),
        ("the run comes to a verdict", ["error"]),
        ("there is a test", ["skipped"]),
        ("there is a mutant", ["skipped"]),
    ]


def test_what_is_no_file_is_written_to_and_never_replaced(project: Path, tmp_path: Path) -> None:
    workload = find_workload(project)
    report = report_without_verdict(workload, 3, "x", ExitCode.NO_VERDICT)
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match="name a file that can be written"):
        write_files(ReportFiles(csv=tmp_path / "folder"), report, workload, tmp_path)
    assert write_files(ReportFiles(csv=Path(os.devnull)), report, workload, tmp_path) == [Path(os.devnull)]
    assert not Path(os.devnull).is_file()
    (tmp_path / "real.csv").write_text("old", "utf-8")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    write_files(ReportFiles(csv=tmp_path / "link.csv"), report, workload, tmp_path)
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text("utf-8").startswith("record,")
