"""A suite's strength as people read it, as programs read it, and as the command comes by it."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from acidtest.mutants.model import KillMatrix
from acidtest.reports.advice import advice
from acidtest.reports.cli import invoke
from acidtest.reports.confidence import Seeding
from acidtest.reports.exits import ExitCode
from acidtest.reports.kills import kills_in
from acidtest.reports.power import Sampled, ledger
from acidtest.reports.render.strength_json import strength_document
from acidtest.reports.render.strength_text import strength_page
from acidtest.reports.store import Store
from acidtest.reports.strength import Evidence, Strength, strength
from acidtest.reports.tests.demo import write_demo
from acidtest.reports.tests.hand_made import matrix
from acidtest.reports.tests.test_text import agrees_with_golden
from acidtest.reports.triggers import trigger

Capture = pytest.CaptureFixture[str]
ROWS = {"s01": "K....", "s02": "KK...", "s03": "..KK.", "s04": "..KK.", "s05": ".....", "s06": ".T..."}


def drawn(**rows: str) -> KillMatrix:
    """Return a matrix of which test_c draws inputs: its kills need 7 of them, or 30 under seed 1."""
    plain = matrix("abcde", **rows)
    counts = {"s03": 7, "s04": 30}
    return replace(
        plain,
        trials=tuple(
            replace(trial, examples=counts.get(trial.variant)) if trial.test.endswith("_c") else trial
            for trial in plain.trials
        ),
    )


def measured() -> Strength:
    found = drawn(**ROWS)
    laws: dict[str, Sequence[float] | str] = {"s01": (0.9, 0.1), "s02": (0.505, 0.495), "s03": (0.5, 0.5)}
    test = found.tests[1].id
    answers = {"s01": 40, "s02": 0, "s03": 3}
    families = ("eighths", "wide")
    evidence = Evidence(
        deltas=({"s01": frozenset({0, 3}), "s03": frozenset({4}), "s04": frozenset({4, 5})}, 10, "0123abcd"),
        seedings=[
            Seeding(0, found),
            Seeding(1, drawn(**{**ROWS, "s01": "....."})),
            Seeding(2, None, frozenset({found.tests[4].id})),
        ],
        triggers=tuple(
            trigger(family, "accept", mutant, ["1"] * 40, ["2"] * hits + ["1"] * (40 - hits))
            for mutant, count in answers.items()
            for family in families
            for hits in [count if family == "wide" else 0]
        ),
        ledgers=(ledger(Sampled(test, 2000, 0.001, (0.5, 0.5)), laws, {"s01": (3, 3)}, (0, 3), 1e-24),),
    )
    return strength(found, kills_in(found), evidence=evidence, notes=["a note on what was left out"])


def test_the_page_of_a_strength_with_everything() -> None:
    agrees_with_golden(strength_page(measured(), "/home/demo", "tests", 0, 80, colour=False), "strength_80.txt")


def test_no_line_is_wider_than_the_terminal() -> None:
    page = strength_page(measured(), "/home/demo", "tests", 0, 80, colour=False)
    assert max(map(len, page.splitlines())) <= 80
    assert "\x1b[" in strength_page(measured(), "/home/demo", "tests", 0, 80, colour=True)


def test_a_suite_with_nothing_to_do_is_told_so() -> None:
    found = matrix("ab", s01="KK", s02="KK")
    page = strength_page(strength(found, kills_in(found)), "/home/demo", "tests", 0, 80, colour=False)
    assert "add no kill" in page  # each carries the other
    alone = matrix("a", s01="K")
    named = [item.what for item in advice(strength(alone, kills_in(alone)))]
    assert named == ["1 mutant hangs on a single test: keep it, or add a second"]


def test_the_document_is_json_that_any_reader_takes() -> None:
    document = json.loads(
        strength_document(measured(), "/home/demo", "tests", 0), parse_constant=lambda name: pytest.fail(name)
    )
    assert document["schema"] == "acidtest.strength/1"
    assert document["score"] == {"numerator": 4, "denominator": 5, "value": 0.8}
    assert document["cover"]["optima"] == 4
    assert document["unjudged"] == {"s06": "timed_out"}
    assert len(document["advice"]) == len(advice(measured()))


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = write_demo(tmp_path / "project")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    return folder


def test_strength_runs_the_matrix_once_and_then_reads_it(demo: Path, capsys: Capture) -> None:
    assert invoke(["strength", "--jobs", "1", "--domain", "--json", "out.json"]) == ExitCode.KEPT
    first = capsys.readouterr()
    assert "first: every test on 2 mutants, seed 0" in first.err
    assert "strict score     2 of 2 mutants killed, 100.0%" in first.out
    assert json.loads((demo / "out.json").read_text("utf-8"))["domain"]["calls"] > 0
    assert invoke(["strength", "--jobs", "1"]) == ExitCode.KEPT
    again = capsys.readouterr()
    assert again.err == ""
    assert again.out == first.out
    with Store(demo / ".acidtest") as store:
        assert len(store.runs()) == 1


def test_strength_of_a_run_that_is_not_there_names_those_that_are(demo: Path, capsys: Capture) -> None:
    assert invoke(["strength", "7"]) == ExitCode.USAGE
    assert capsys.readouterr().err == "acidtest: no finished run 7; `acidtest run` makes one\n"
    assert invoke(["strength", "7", "--tests", "tests"]) == ExitCode.USAGE
    assert "give either RUN or --tests" in capsys.readouterr().err


def test_seeds_are_kept_and_a_foreign_suite_is_measured_in_the_pool(
    demo: Path, capsys: Capture, tmp_path: Path
) -> None:
    assert invoke(["strength", "--jobs", "1", "--seeds", "3"]) == ExitCode.KEPT
    page = " ".join(capsys.readouterr().out.split())
    assert "2 of 2 cells killed under all 3 seeds: each with a rate of at least 0.368 (95%)" in page
    assert invoke(["strength", "--jobs", "1", "--seeds", "3"]) == ExitCode.KEPT
    assert capsys.readouterr().err == ""
    mine = tmp_path / "test_mine.py"
    mine.write_text("from demo.gate import clamp\ndef test_x():\n    assert clamp(5) == 1\n")
    assert invoke(["strength", "--jobs", "1", "--tests", str(mine)]) == ExitCode.BROKEN
    page = capsys.readouterr().out
    assert "dominator score 50.0% of 2 classes that these tests and the workload's own make" in " ".join(page.split())
    assert "`acidtest gaps` writes those missing:\n     s01" in page
