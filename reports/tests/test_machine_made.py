"""Generated mutants in a run: counted apart from the catalog, survivors listed, certified ones left out."""

import json
import re
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

from acidtest.mutants.certificates import Certificate, certificate_of, write_certificates
from acidtest.mutants.generated import generated
from acidtest.mutants.model import Status, Variant
from acidtest.mutants.tests import tiny
from acidtest.reports.exits import ExitCode
from acidtest.reports.machine_made import MachineMade, machine_made
from acidtest.reports.render import text
from acidtest.reports.render.json_ import run_document
from acidtest.reports.summary import Summary, summarize
from acidtest.reports.tests.hand_made import matrix, mutant, run_of
from acidtest.reports.tests.test_text import agrees_with_golden
from acidtest.reports.tests.test_tiny_projects import acidtest

SURVIVORS = {"box.clamp.1", "box.clamp.2", "box.scale.9"}


def made(name: str, title: str = "u < r -> u <= r") -> Variant:
    return Variant(name, title, "demo.gate", "", ("accept",), None, "", "generated", (2, 2))


def certificate(message: bool) -> Certificate:
    return Certificate("demo.gate", "accept", "0" * 16, "", "They agree.", "d", message)


def summary_of(*, fail_under: Fraction | None = None, certified: int = 0, **rows: str) -> Summary:
    """Return a run of one entry, killed, and of generated mutants with these rows."""
    names = {name: f"gate.accept.{name[1:]}" for name in rows}
    kills = matrix("ab", s01="K.", **{names[name]: row for name, row in rows.items()})
    run = run_of(kills)
    left = {f"gate.accept.{90 + number}": certificate(number % 2 == 0) for number in range(certified)}
    part = machine_made(run, [made(name) for name in names.values()], left, stale=2 if certified else 0)
    return summarize(run, [mutant("s01")], "/home/demo", "tests", True, fail_under, part)


def part_of(summary: Summary) -> MachineMade:
    assert summary.generated is not None
    return summary.generated


def test_generated_mutants_have_a_score_of_their_own() -> None:
    summary = summary_of(g1="K ", g2="..", g3="--", certified=3)
    part = part_of(summary)
    assert (summary.scores.strict, part.scores.strict) == (Fraction(1), Fraction(1, 3))
    assert (part.raw, part.without_messages) == (Fraction(1, 6), Fraction(1, 4))
    assert [one.status for one in part.tried] == [Status.KILLED, Status.SURVIVED, Status.NO_COVERAGE]
    assert [one.variant.id for one in part.alive] == ["gate.accept.2", "gate.accept.3"]


@pytest.mark.parametrize(
    ("row", "code"),
    [("K ", ExitCode.KEPT), ("..", ExitCode.BROKEN), (".T", ExitCode.UNDECIDED), (". ", ExitCode.NO_VERDICT)],
)
def test_the_exit_code_heeds_generated_mutants_too(row: str, code: ExitCode) -> None:
    assert summary_of(g1="K.", g2=row).code is code


def test_fail_under_asks_for_both_scores() -> None:
    rows = {"g1": "K.", "g2": ".."}
    assert summary_of(**rows, fail_under=Fraction(50)).code is ExitCode.KEPT  # type: ignore[arg-type]  # rows are texts
    assert summary_of(**rows, fail_under=Fraction(51)).code is ExitCode.BROKEN  # type: ignore[arg-type]  # the same


def test_page_lists_survivors_and_what_was_left_out() -> None:
    summary = summary_of(g1="K ", g2="..", g3="--", g4=".T", certified=3)
    agrees_with_golden(text.conclusions(summary, 100, colour=False), "run-generated.txt")


def test_document_has_the_generated_part() -> None:
    document = json.loads(run_document(summary_of(g1="K ", g2="..", certified=1)))
    part = document["generated"]
    assert [(one["id"], one["status"]) for one in part["mutants"]] == [
        ("gate.accept.1", "killed"),
        ("gate.accept.2", "survived"),
    ]
    assert part["certified"] == [{"id": "gate.accept.90", "reason": "They agree.", "message": True}]
    assert part["scores"]["raw"]["value"] == pytest.approx(1 / 3)
    assert [one["id"] for one in document["mutants"]] == ["s01"]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.project(tmp_path_factory.mktemp("project"))


def test_a_run_tries_them_and_lists_the_survivors(project: Path) -> None:
    result = acidtest(project, "run", "--json", "out.json")
    assert result.returncode == 1, result.stdout + result.stderr
    assert "promises   2 of 2 kept" in result.stdout
    assert re.search(
        r"box\.clamp\.1  if value < low: -> .*\n    survived every test\n    in  box\.py:\d+\n", result.stdout
    )
    assert "exit code  1: 3 generated mutants alive" in result.stdout
    document = json.loads((project / "out.json").read_text())
    statuses = {one["id"]: one["status"] for one in document["generated"]["mutants"]}
    assert {name for name, status in statuses.items() if status == "survived"} == SURVIVORS
    killed = {trial["variant"]: trial for trial in document["trials"] if trial["outcome"] == "failed"}
    assert sum(trial["outcome"] == "failed" for trial in document["trials"] if trial["variant"] in statuses) == len(
        killed.keys() & statuses.keys()
    ), "each generated mutant stops at its first kill"


def test_matrix_runs_every_test_on_them(project: Path) -> None:
    acidtest(project, "run", "--matrix", "--json", "matrix.json")
    document = json.loads((project / "matrix.json").read_text())
    tests = len(document["baseline"]["tests"])
    for one in document["generated"]["mutants"]:
        assert sum(trial["variant"] == one["id"] for trial in document["trials"]) == tests


def test_one_of_them_can_be_tried_alone(project: Path) -> None:
    result = acidtest(project, "run", "--only", "box.clamp.1")
    assert result.returncode == 1
    assert "generated  1 survived" in result.stdout
    assert "promises" not in result.stdout
    result = acidtest(project, "run", "--only", "box.clam.1")
    assert (result.returncode, result.stdout) == (2, "")
    assert "no generated mutant 'box.clam.1'; did you mean box.clamp.1" in result.stderr


def test_certified_ones_are_left_out_while_the_domain_is_theirs(tmp_path: Path) -> None:
    project = tiny.project(tmp_path)
    workload = tiny.workload(project)
    source = workload.read("box")
    survivors = [variant for variant in generated(workload, tmp_path / "state") if variant.id in SURVIVORS]
    kept = [certificate_of(source, variant, "They agree on D.", "fixed") for variant in survivors]
    write_certificates(project / "equivalent", kept)
    result = acidtest(project, "run")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "left out   3 generated, certified equal on D" in result.stdout
    assert "every promise kept, every generated mutant killed" in result.stdout
    calls = project / "calls.py"
    calls.write_text(calls.read_text().replace('"fixed"', '"another"'))
    result = acidtest(project, "run")
    assert result.returncode == 1
    assert "stale      3 certificates are for another D than today's, and not used" in result.stdout


def test_mutmut_itself_agrees_on_a_small_project(project: Path) -> None:
    result = acidtest(project, "mutmut", "--json")
    assert result.returncode == 0, result.stdout + result.stderr
    document = json.loads(result.stdout)
    assert document["differences"] == document["wrong"] == []
    assert {one["id"] for one in document["mutants"] if one["mutmut"] == "survived"} == SURVIVORS
    assert not (project / "mutants").exists()


def test_opposite_modes_are_refused(project: Path) -> None:
    result: subprocess.CompletedProcess[str] = acidtest(project, "run", "--first-kill", "--matrix")
    assert result.returncode == 2
    assert "ask for opposite things" in result.stderr
