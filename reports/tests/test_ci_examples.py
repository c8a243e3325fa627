"""The README's workflow and hooks: they parse, and their commands do in a small project what the page says of them."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # its types are a package of their own

from acidtest.reports.exits import ExitCode
from acidtest.reports.tests.demo import FILES, write_demo

README = (Path(__file__).resolve().parents[2] / "README.md").read_text("utf-8")
MAIN = "import sys; from acidtest.reports.cli import main; sys.argv[0] = 'acidtest'; main()"
WEAK = FILES["tests/test_gate.py"].replace("and clamp(2.0) == 1.0", "")
BROKEN = FILES["tests/test_gate.py"].replace("assert not accept", "assert accept")


def example(name: str) -> dict[Any, Any]:
    """Return the YAML that the README shows below a mark of this name."""
    (block,) = re.findall(rf"<!-- {name} -->\n```yaml\n(.*?)```\n", README, re.DOTALL)
    found: dict[Any, Any] = yaml.safe_load(block)
    return found


def steps() -> list[dict[str, Any]]:
    (job,) = example("workflow")["jobs"].values()
    found: list[dict[str, Any]] = job["steps"]
    return found


def demo(folder: Path, changes: Mapping[str, str]) -> Path:
    """Write the small project, and beside it a folder with the command as an installation would put it."""
    bin_ = folder / "bin"
    bin_.mkdir()
    command = bin_ / "acidtest"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c "{MAIN}" "$@"\n', "utf-8")
    command.chmod(0o755)
    return write_demo(folder / "project", changes)


def run(command: str, project: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a step as the host does: bash, stopping at the first failure."""
    path = f"{project.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", command],
        cwd=project,
        env={**os.environ, "PATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_workflow_is_one_that_the_host_takes() -> None:
    found = example("workflow")
    assert set(found) == {"name", True, "permissions", "jobs"}  # YAML 1.1 reads "on" as true
    assert found[True] == "pull_request"
    assert found["permissions"] == {"contents": "read"}
    for step in steps():
        assert ("run" in step) != ("uses" in step)
        assert set(step) <= {"run", "uses", "with", "if"}
        assert "uses" not in step or re.fullmatch(r"actions/[a-z-]+@v\d+", step["uses"])


@pytest.mark.parametrize(
    ("tests", "code", "words"),
    [
        (WEAK, ExitCode.BROKEN, "Broken promise: s02; 5 generated mutants alive"),
        (BROKEN, ExitCode.CANNOT_JUDGE, "No verdict: the unchanged target fails tests/test_gate.py"),
    ],
    ids=["survivors", "failed baseline"],
)
def test_the_workflow_s_commands_leave_a_summary_whatever_happens(
    tmp_path: Path, tests: str, code: ExitCode, words: str
) -> None:
    project = demo(tmp_path, {"tests/test_gate.py": tests})
    install, main, *later = [step for step in steps() if "run" in step]
    assert shlex.split(install["run"])[:4] == ["python", "-m", "pip", "install"]  # not tried here: it asks the network
    result = run(main["run"], project)
    assert result.returncode == code, result.stdout + result.stderr
    shown = tmp_path / "shown.md"
    for step in later:
        assert step["if"] == "always()"
        assert run(step["run"], project, GITHUB_STEP_SUMMARY=str(shown)).returncode == 0
    (first, *_) = shown.read_text("utf-8").splitlines()
    assert first.startswith(f"## ❌ {words}")
    (upload,) = (step for step in steps() if "upload-artifact" in step.get("uses", ""))
    assert upload["with"]["include-hidden-files"] is True
    for path in upload["with"]["path"].split():
        assert (project / path).exists(), path


def hooks() -> dict[str, dict[str, Any]]:
    (repository,) = example("pre-commit")["repos"]
    assert repository["repo"] == "local"
    return {hook["id"]: hook for hook in repository["hooks"]}


def test_the_hooks_are_such_as_pre_commit_takes() -> None:
    for hook in hooks().values():
        assert set(hook) == {"id", "name", "entry", "language", "files", "pass_filenames"}
        assert (hook["language"], hook["pass_filenames"]) == ("system", False)
        assert re.search(hook["files"], "catalog/s01_accepts.toml")
        assert re.search(hook["files"], "tests/test_gate.py")
        assert not re.search(hook["files"], "README.md")


def test_the_hooks_pass_a_good_project_and_stop_a_weak_one(tmp_path: Path) -> None:
    project = demo(tmp_path, {})
    for hook in hooks().values():
        result = run(hook["entry"], project)
        assert result.returncode == 0, result.stdout + result.stderr
    test = project / "tests" / "test_gate.py"
    test.write_text(test.read_text("utf-8").replace(" and clamp(2.0) == 1.0", ""), "utf-8")
    result = run(hooks()["acidtest-run"]["entry"], project)
    assert result.returncode == ExitCode.BROKEN
    assert result.stdout.startswith("Not killed: s02\n")
    entry = project / "catalog" / "s02_forgets_the_upper_end.toml"
    entry.write_text(entry.read_text("utf-8").replace('mutant = "2.0"', 'mutant = "3.0"'), "utf-8")
    assert run(hooks()["acidtest-check"]["entry"], project).returncode == ExitCode.BROKEN
