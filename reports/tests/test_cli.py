"""The command line on a small project: what it prints, what it refuses, and its exit codes."""

import importlib
import json
import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import click
import pytest

from acidtest.mutants.load import load_catalog
from acidtest.mutants.workload import embedded
from acidtest.reports import cli_catalog
from acidtest.reports.cli import FAULTS, acidtest, invoke
from acidtest.reports.exits import ExitCode
from acidtest.reports.tests.demo import FILES, write_demo
from acidtest.reports.tests.waiting import wait_for_trials

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = write_demo(tmp_path / "project")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    return folder


def refused(capsys: Capture, *arguments: str, code: ExitCode = ExitCode.USAGE) -> str:
    """Run a command that must fail with one line on stderr, and return the line."""
    assert invoke(list(arguments)) == code
    captured = capsys.readouterr()
    assert captured.err.startswith("acidtest: ")
    assert captured.err.count("\n") == 1
    assert "Traceback" not in captured.err
    return captured.err.removeprefix("acidtest: ").rstrip("\n")


def test_run_prints_table_promises_score_controls_and_exit_code(demo: Path, capsys: Capture) -> None:
    assert invoke(["run", "--no-generated", "--jobs", "1", "--json", "result.json"]) == ExitCode.KEPT
    page = capsys.readouterr().out
    for line in ("seed      0, matrix mode, 1 job", "promises   2 of 2 kept", "exit code  0: every promise kept"):
        assert line in page.splitlines()
    assert "100.0% strict (2 of 2 killed), 100.0% as Stryker counts" in page
    document = json.loads((demo / "result.json").read_text("utf-8"))
    assert [entry["grade"] for entry in document["mutants"]] == ["exact", "exact"]
    assert (demo / ".acidtest" / "runs.sqlite").is_file()


def test_json_on_standard_output_is_nothing_but_json(demo: Path, capsys: Capture) -> None:
    assert invoke(["run", "--no-generated", "--jobs", "1", "--json", "-", "--only", "s01"]) == ExitCode.KEPT
    captured = capsys.readouterr()
    assert json.loads(captured.out)["promises"] == {"kept": 1, "of": 1}
    assert "promises   1 of 1 kept" in captured.err


def test_foreign_suite_is_judged_by_its_survivors(demo: Path, capsys: Capture, tmp_path: Path) -> None:
    suite = tmp_path / "mine"
    suite.mkdir()
    suite.joinpath("test_mine.py").write_text("from demo.gate import clamp\ndef test_x():\n    assert clamp(5) == 1\n")
    arguments = ["run", "--no-generated", "--jobs", "1", "--tests", str(suite)]
    assert invoke(arguments) == ExitCode.BROKEN
    page = capsys.readouterr().out
    assert "s01  accepts on equality\n    no test reaches the changed code\n    from       pitfall 1\n" in page
    assert "    witness    accept(u=0.25, r=0.25)" in page
    assert "promises" not in page
    assert invoke([*arguments, "--fail-under", "50"]) == ExitCode.KEPT
    assert invoke([*arguments, "--fail-under", "50.1", "--quiet"]) == ExitCode.BROKEN
    assert "exit code  1: the strict score is below 50.1%" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["run", "--only", "s1"], "no mutant 's1'; did you mean s01?"),
        (["run", "--only", "forgets"], "no mutant 'forgets'; did you mean s02?"),
        (["run", "--only", ","], "--only names no mutant; write --only s01,s09"),
        (["show", "zz9"], "no mutant 'zz9'; `acidtest list` shows them all"),
        (["rum"], "no command 'rum'; did you mean run? (see acidtest --help)"),
        (["run", "--fail-under", "101"], "'--fail-under': 101 is not between 0 and 100"),
        (["run", "--fail-under", "nan"], "'--fail-under': 'nan' is not a number"),
        (["run", "--seed", "x"], "'--seed': 'x' is not a valid integer range"),
        (["run", "--tests", "nowhere"], "--tests nowhere: no such file or folder"),
        (["run", "--json", "no/where.json"], "--json no/where.json: no such folder"),
        (["start", "x"], "this workload has no file to begin from"),
        (["diff", "nowhere.py"], "nowhere.py: cannot be read as text"),
        (["new", "s01", "something else"], "id s01 is taken by s01_accepts_on_equality.toml; choose another"),
        (["new", "47", "something"], "id '47' must be letters and a number, such as s47"),
        (["new", "s47", "something", "--function", "clmp"], "--function clmp: not in demo.gate; there is clamp"),
    ],
)
def test_wrong_command_line_is_refused_in_one_line(
    demo: Path, capsys: Capture, arguments: list[str], line: str
) -> None:
    assert line in refused(capsys, *arguments)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('"u < r"', '"u > r"', "s01_accepts_on_equality.toml: before matches nothing in accept"),
        ("pitfall = 1", "pitfall 1", "s01_accepts_on_equality.toml: "),
        ('"demo.gate"', '"demo.gat"', "s01_accepts_on_equality.toml: module 'demo.gat' is not one of the workload's"),
    ],
)
def test_run_refuses_an_entry_that_cannot_be_used(demo: Path, capsys: Capture, old: str, new: str, line: str) -> None:
    entry = demo / "catalog" / "s01_accepts_on_equality.toml"
    entry.write_text(entry.read_text("utf-8").replace(old, new), encoding="utf-8")
    assert line in refused(capsys, "run", "--quiet")


def test_wrong_settings_are_refused_in_one_line(demo: Path, capsys: Capture) -> None:
    (demo / "pyproject.toml").write_text("[tool.acidtest]\nmodule = 'demo.gate'\n")
    assert "[tool.acidtest] has no key 'module'" in refused(capsys, "list")


def test_unusable_state_folder_gives_no_verdict(demo: Path, capsys: Capture) -> None:
    (demo / "file").write_text("")
    line = refused(capsys, "run", "--quiet", "--state", "file/state", code=ExitCode.NO_VERDICT)
    assert line.endswith("or use another folder with --state DIR")


def test_every_fault_with_an_exit_code_is_where_it_is_said_to_be() -> None:
    for name in FAULTS:
        module, _, kind = name.rpartition(".")
        found = getattr(importlib.import_module(module), kind)
        assert f"{found.__module__}.{found.__qualname__}" == name
        assert issubclass(found, Exception)


def test_a_command_imports_what_it_needs_and_no_other_command_s() -> None:
    code = (
        "import sys; from acidtest.reports.cli import invoke; invoke(['grade', '--help'])\n"
        "others = {'run_command', 'gaps_command', 'class_command', 'suite_command', 'grade_command', 'run_pages'}\n"
        "found = {name for name in others if f'acidtest.reports.{name}' in sys.modules}\n"
        "sys.exit(str(found) if found else 0)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


ENDING = """
import atexit, sys, threading
from acidtest.reports.cli import main
class Left:
    def __del__(self):
        print("taken down")
left = Left()
atexit.register(print, "due at the end")
{more}
sys.argv = ["acidtest", *sys.argv[1:]]
main()
"""


def test_a_command_ends_without_taking_down_what_it_imported_but_nothing_is_lost() -> None:
    def said(more: str, *arguments: str, code: ExitCode = ExitCode.KEPT) -> list[str]:
        command = [sys.executable, "-c", ENDING.format(more=more), *arguments]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        assert done.returncode == code
        return done.stdout.splitlines()

    assert said("", "--version")[1:] == ["due at the end"]
    assert said("", "nonsense", code=ExitCode.USAGE) == ["due at the end"]
    assert "waited for" in said("threading.Timer(0.1, print, ['waited for']).start()", "--version")


def test_internal_fault_is_one_line_and_a_file(demo: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(cli_catalog, "load_catalog", fail)
    line = refused(capsys, "list", code=ExitCode.INTERNAL)
    assert line.startswith("internal fault: RuntimeError: a fault of ours; the traceback is in ")
    path = Path(line.rsplit(" ", 1)[-1])
    assert "Traceback" in path.read_text("utf-8")
    path.unlink()


def test_show_tells_who_killed_it_in_the_latest_run(demo: Path, capsys: Capture) -> None:
    assert invoke(["show", "s02", "--no-examples"]) == ExitCode.KEPT
    assert "no run kept yet that tried it" in capsys.readouterr().out
    assert not (demo / ".acidtest").exists()
    invoke(["run", "--no-generated", "--jobs", "1", "--quiet"])
    invoke(["run", "--no-generated", "--jobs", "1", "--quiet", "--only", "s01", "--seed", "9"])
    capsys.readouterr()
    assert invoke(["show", "s02"]) == ExitCode.KEPT
    page = capsys.readouterr().out
    assert "in the latest run (seed 0) killed by\n  test_clamp_is_within  test_gate.py\n" in page
    assert "  -    if x > 1.0:\n  +    if x > 9.0:\n" in page


def test_list_and_tests_show_every_entry_and_test(demo: Path, capsys: Capture) -> None:
    assert invoke(["list"]) == ExitCode.KEPT
    assert "forgets the upper end" in capsys.readouterr().out
    assert invoke(["tests"]) == ExitCode.KEPT
    page = capsys.readouterr().out
    assert "  matters: it has mass." in page
    assert [line.split()[-1] for line in page.splitlines() if line.startswith(" test_")] == ["s01", "s02"]


def test_check_holds_for_a_sound_catalog(demo: Path, capsys: Capture) -> None:
    assert invoke(["check"]) == ExitCode.KEPT
    page = capsys.readouterr().out
    assert page.count("✓") == 5
    assert page.endswith("every claim holds\n")


def test_check_lists_every_fault(demo: Path, capsys: Capture) -> None:
    catalog = demo / "catalog"
    second = (catalog / "s02_forgets_the_upper_end.toml").read_text("utf-8")
    (catalog / "notes.txt").write_text("a stray file")
    (catalog / "s03_broken.toml").write_text("id = ", encoding="utf-8")
    twin = second.replace("s02", "s04").replace("forgets the upper end", "moves the upper end").replace("9.0", "8.0")
    (catalog / "s04_moves_the_upper_end.toml").write_text(twin, encoding="utf-8")
    liar = second.replace("s02", "s05").replace("forgets the upper end", "lies").replace('"2.0"', '"3.0"')
    (catalog / "s05_lies.toml").write_text(liar.replace("x > 9.0", "x > 1.5"), encoding="utf-8")
    assert invoke(["check"]) == ExitCode.BROKEN
    page = " ".join(capsys.readouterr().out.split())
    for fault in (
        "notes.txt: not a catalog entry",
        "s03_broken.toml: ",
        "s04_moves_the_upper_end.toml: answers like s02_forgets_the_upper_end.toml on all 12 calls",
        "s05_lies.toml: witness.mutant = '3.0', but the mutant answers '1.0'",
    ):
        assert fault in page, page


def test_new_writes_a_template_that_check_accepts_once_filled(demo: Path, capsys: Capture) -> None:
    assert invoke(["new", "s47", "lets the lower end through", "--function", "clamp"]) == ExitCode.KEPT
    path = demo / "catalog" / "s47_lets_the_lower_end_through.toml"
    assert str(path.relative_to(demo)) in capsys.readouterr().out
    assert invoke(["check"]) == ExitCode.BROKEN
    page = " ".join(capsys.readouterr().out.split())
    for key in ("origin", "after", "killers", "rationale", "args"):
        assert f", {key}: fill it in and take the TODO away" in page
    text = path.read_text("utf-8")
    lines = [line.split("  # ")[0] for line in text.splitlines()]
    filled = (
        "\n".join(lines)
        .replace('origin = "TODO"', 'origin = "engine #8"')
        .replace('["TODO"]', '["test_clamp_is_within"]')
    )
    filled = filled.replace('after = "return x"', 'after = "return max(x, -2.0) if x < 0.75 else 0.0"')
    filled = filled.replace("TODO: why", "Why").replace("x = 0.5", "x = 1.0")
    path.write_text(filled, encoding="utf-8")
    assert invoke(["check"]) == ExitCode.BROKEN
    page = " ".join(capsys.readouterr().out.split())
    assert "witness.reference = '?', but the reference answers '1.0'" in page
    assert "witness.mutant = '?', but the mutant answers '0.0'" in page
    filled = filled.replace('reference = "?"', 'reference = "1.0"').replace('mutant = "?"', 'mutant = "0.0"')
    path.write_text(filled, encoding="utf-8")
    assert invoke(["check"]) == ExitCode.KEPT
    assert load_catalog(demo / "catalog")[-1].id == "s47"


def test_new_is_refused_for_an_installed_catalog(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:

    installed = replace(embedded(), root=tmp_path)
    monkeypatch.setattr(cli_catalog, "find_workload", lambda here: installed)
    assert "is not yours to change; clone the repository" in refused(capsys, "new", "s47", "something")


def test_start_copies_the_learners_file_and_never_overwrites(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke(["start", "mine"]) == ExitCode.KEPT
    copy = tmp_path / "mine" / "rejection.py"
    assert "def speculative_step" in copy.read_text("utf-8")
    copy.write_text("my work")
    assert "is there already; nothing was written" in refused(capsys, "start", "mine")
    assert copy.read_text("utf-8") == "my work"


def test_diff_compares_by_function_and_never_runs_the_file(demo: Path, capsys: Capture) -> None:
    learner = demo / "mine" / "gate.py"
    learner.parent.mkdir()
    text = FILES["demo/gate.py"].replace("u < r", "u <= r").replace("        ", "", 1)
    learner.write_text("raise SystemExit('run')\n" + _dedented(text) + "\n\ndef extra():\n    pass\n", encoding="utf-8")
    assert invoke(["diff", "mine/gate.py"]) == ExitCode.KEPT
    page = capsys.readouterr().out
    assert "accept:\n" in page
    assert "  -    return u <= r\n  +    return u < r\n" in page
    assert "clamp: the same\n" in page
    assert "extra: only in mine/gate.py\n" in page
    learner.write_text("def accept(:\n")
    assert "mine/gate.py: does not parse: line 1" in refused(capsys, "diff", "mine/gate.py", code=ExitCode.CANNOT_JUDGE)


def _dedented(text: str) -> str:
    return textwrap.dedent("        " + text.lstrip("\n"))


def test_every_command_teaches_with_an_example(capsys: Capture) -> None:
    names = acidtest.list_commands(click.Context(acidtest))
    assert {"run", "report", "gaps", "grade", "gradescope", "grade-suite", "doctor", "list", "check"} <= {*names}
    for name in names:
        assert acidtest.get_command(click.Context(acidtest), name) is not None
        assert invoke([name, "--help"]) == 0
        assert f"acidtest {name}" in capsys.readouterr().out.split("Usage:")[1].split("\n", 1)[1]


SLOW = """
import time
from demo.gate import accept, clamp

def test_slow():
    time.sleep(0.3)
    accept(0, 1)
    clamp(5)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="sends POSIX signals")
@pytest.mark.parametrize("signal_", [signal.SIGINT, signal.SIGKILL])
def test_interrupted_run_goes_on_where_it_stopped(demo: Path, signal_: signal.Signals) -> None:
    write_demo(demo, {"tests/test_slow.py": SLOW})
    command = [sys.executable, "-m", "acidtest.reports.cli", "run", "--no-generated", "--jobs", "1", "--quiet"]
    process = subprocess.Popen(command, cwd=demo, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_trials(demo / ".acidtest", 1)
    process.send_signal(signal_)
    _, said = process.communicate(timeout=30)
    if signal_ is signal.SIGINT:
        assert process.returncode == ExitCode.INTERRUPTED
        assert said.startswith("acidtest: interrupted; ")
    again = subprocess.run(command, cwd=demo, capture_output=True, text=True, timeout=60, check=False)
    assert again.returncode == ExitCode.KEPT, again.stdout + again.stderr
    assert again.stderr.startswith("goes on with an interrupted run: ")
    assert "trials kept from an interrupted run" in " ".join(again.stdout.split())
