"""The index of all runs: its trend is the scores, its digests count as the runs do, and no run is read twice."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from acidtest.mutants.model import Run, Trial
from acidtest.mutants.workload import find_workload
from acidtest.reports.cli import invoke
from acidtest.reports.codec import decode, encode
from acidtest.reports.digest import Digest, digest_of_run, digest_of_summary
from acidtest.reports.exits import ExitCode
from acidtest.reports.render.html.index_page import index_page
from acidtest.reports.render.html.trend import charts
from acidtest.reports.run_index import FILE, Index, PageNote, index_of
from acidtest.reports.store import RunRow, Store
from acidtest.reports.tests import other_pages, page_runs
from acidtest.reports.tests.demo import write_demo
from acidtest.reports.tests.hand_made import matrix, run_of
from acidtest.reports.tests.parsed import Parsed

if TYPE_CHECKING:
    pass

Capture = pytest.CaptureFixture[str]


def test_the_points_of_a_trend_are_the_scores_and_lines_break_where_there_is_none() -> None:
    found = other_pages.index().digests
    (chart,) = charts(found)
    assert [one.id for one in chart.digests] == [1, 2, 4, 5, 7, 8, 9]  # without a part, without another suite
    known = {one.id: one for one in found}
    for line in chart.lines:
        for point in line.points:
            count = getattr(known[point.run], line.kind)
            score = chart.low + (100 - chart.low) * (1 - point.y / 100)
            assert score == pytest.approx(float(100 * count.score), abs=1e-3)  # places are rounded to 1/1000 of 20%
            assert f"{count.killed} of {count.valid}" in point.told
        assert [point.run for point in line.points] == sorted(point.run for point in line.points)
    catalog, made = chart.lines
    assert [(a.run, b.run) for a, b in catalog.segments] == [(1, 2), (2, 4), (7, 8), (8, 9)]
    assert [(a.run, b.run) for a, b in made.segments] == [(2, 4), (4, 7), (7, 9)]
    assert [point.run for point in chart.missing] == [5]
    assert "a control misbehaved: canary" in chart.missing[0].told
    assert (chart.digests[0].id, chart.digests[-1].id) == (1, 9)
    ends = [point.x for point in catalog.points]
    assert (ends[0], ends[-1]) == (0.0, 100.0)


def test_one_run_is_no_trend() -> None:
    assert charts([other_pages.digest(1)]) == []
    page = Parsed(index_page(Index("/x", (other_pages.digest(1),))))
    assert "A line takes two runs of the same tests" in page.by_id["trend"]
    assert "no earlier score of these tests" in page.text


@pytest.mark.parametrize("killed", [46, 0])
def test_a_trend_of_equal_scores_lies_within_the_picture(killed: int) -> None:
    (chart,) = charts([other_pages.digest(number, killed, made=None) for number in range(1, 100)])
    places = [point for line in chart.lines for point in line.points]
    assert len(places) == 60
    assert all(0 <= point.y <= 100 and 0 <= point.x <= 100 for point in places)


def test_an_index_begins_with_the_latest_run_that_was_asked_for() -> None:
    runs = other_pages.index()
    page = Parsed(index_page(runs))
    assert page.h1 == "Run 9: broken promise: s02"
    assert "Run 10 did not finish: 123 trials kept." in page.text
    assert "2.2 points more than in run 8" in page.text
    rows = [words for words in page.by_id["runs"].split("\n") if words.strip()]
    assert next(row for row in rows if row.startswith("5")).startswith("5No verdict: a control misbehaved")
    for words in ("made for a measure of strength", "a part of the catalog", "19 runs under further seeds", "3 more"):
        assert words in page.by_id["runs"]
    links = [attributes["href"] for _, attributes in page.tags if attributes.get("href", "").endswith(".html")]
    assert sorted(links) == ["gaps.html", "run.html", "run.html", "strength.html"]
    measured = replace(runs, digests=runs.digests[:-1])
    assert Parsed(index_page(measured)).h1.startswith("Run 7:")  # not 8, which a measure made


def test_an_index_of_nothing_says_what_to_do() -> None:
    page = Parsed(index_page(Index("/home/me/.acidtest")))
    assert page.h1 == "No finished run is kept"
    assert "acidtest run" in page.text
    note = PageNote("run.html", "2026-01-01", None, "test_a fails on the unchanged code")
    page = Parsed(index_page(Index("/x", pages=(note,))))
    assert page.h1 == "No verdict: the latest run came to no mutant"
    assert "No mutant was tried. test_a fails on the unchanged code" in page.text
    page = Parsed(index_page(Index("/x", (other_pages.digest(1, 46),), pages=(note,))))
    assert (page.h1, page.tone()) == ("No verdict: the latest run came to no mutant", "bad")
    assert "What follows is of run 1, before it. test_a fails" in page.text


def row_of(number: int = 7, **meta: object) -> RunRow:
    return RunRow(number, "key", "2026-01-02T03:04:05+00:00", "2026-01-02T03:05:00+00:00", meta)


def test_a_digest_of_the_trials_counts_as_the_judged_run_does() -> None:
    summary = page_runs.everything().summary
    row = row_of(workload="/home/me/demo", suite=["/home/me/demo/tests"])
    judged, plain = digest_of_summary(row, summary, True), digest_of_run(row, summary.run)
    assert summary.generated is not None
    assert (plain.catalog, plain.made) == (judged.catalog, judged.made)
    assert judged.catalog is not None
    assert judged.catalog.score == summary.scores.strict == Fraction(5, 7)
    assert (judged.alive, judged.open) == (2, 1)
    assert (judged.kept, judged.promised) == (summary.kept, len(summary.verdicts))
    assert plain.headline == "2 mutants alive"
    assert judged.suite == "tests"
    grown = row_of(workload="/home/me/demo", suite=[f"/home/me/demo/tests/test_{n}.py" for n in range(3)])
    assert digest_of_run(grown, summary.run).suite == "tests"  # so that a new file does not begin a new line
    assert decode(Digest, json.loads(json.dumps(encode(judged)))) == judged


@pytest.mark.parametrize(
    ("run", "headline", "tone"),
    [
        (page_runs.green().summary.run, "Every mutant killed", "good"),
        (page_runs.timed_out().summary.run, "1 mutant without a verdict", "open"),
        (page_runs.failed_baseline().summary.run, "No verdict: the tests fail on the unchanged code", "bad"),
        (page_runs.misbehaved().summary.run, "No verdict: a control misbehaved: same", "bad"),
        (page_runs.no_mutants().summary.run, "No verdict: no mutant was tried", "bad"),
        (page_runs.no_tests().summary.run, "No verdict: there is no test", "bad"),
    ],
)
def test_a_digest_says_first_what_went_wrong(run: Run, headline: str, tone: str) -> None:
    found = digest_of_run(row_of(), run)
    assert (found.headline, found.tone) == (headline, tone)


def test_a_mutant_that_is_meant_to_survive_is_not_counted_against_a_run() -> None:
    run = run_of(matrix("a", s01="K", s02="."))
    assert digest_of_run(row_of(), run).headline == "1 mutant alive"
    assert digest_of_run(row_of(), run, expected=("s02",)).headline == "Every mutant killed"


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    """Return a project with a store of five runs: asked for, of a part, of a measure, of a further seed, unfinished."""
    folder = write_demo(tmp_path / "demo")
    meta = {"workload": str(folder.resolve()), "suite": [str(folder.resolve() / "tests")]}
    both = run_of(matrix("ab", s01="K.", s02=".K"))
    with Store(folder / ".acidtest") as store:
        for key, run, more in (
            ("asked", both, {"variants": ["s01", "s02"]}),
            ("part", run_of(matrix("ab", s01="..")), {"variants": ["s01"]}),
            ("measure", both, {"variants": ["s01", "s02"], "further": False}),
            ("seed", both, {"variants": ["s01", "s02"], "further": True}),
        ):
            store.begin(key, {**meta, **more}).finish(run)
        store.begin("open", {**meta, "variants": ["s01"]}).record(
            Trial("s01", "t.py::test_a", both.matrix.trials[0].outcome)
        )
    return folder


def test_an_index_reads_each_run_once(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workload = find_workload(demo)
    with Store(demo / ".acidtest") as store:
        first = index_of(store, workload, demo)
        assert [(one.id, one.whole, one.asked) for one in first.digests] == [
            (1, True, True), (2, False, True), (3, True, False),
        ]  # fmt: skip
        assert first.further == 1
        assert [(one.id, one.trials) for one in first.unfinished] == [(5, 1)]
        assert first.latest is first.digests[1]
        with monkeypatch.context() as patch:
            patch.setattr(Store, "load", lambda store, number: pytest.fail(f"run {number} is read again"))
            assert index_of(store, workload, demo) == first
        (demo / ".acidtest" / FILE).write_text('{"digests": {"1": 2}, "pages": {"x": {}}}')
        assert index_of(store, workload, demo) == first  # what nobody can read is found out again


def test_an_index_links_only_pages_that_are_there(demo: Path) -> None:
    workload = find_workload(demo)
    note = PageNote("gaps.html", "2026-01-01T00:00:00", 1)
    with Store(demo / ".acidtest") as store:
        assert index_of(store, workload, demo, note).pages == ()
        (demo / "gaps.html").touch()
        assert index_of(store, workload, demo).pages == (note,)


def test_a_run_that_cannot_be_read_is_listed_as_that(demo: Path) -> None:
    workload = find_workload(demo)
    with Store(demo / ".acidtest") as store:
        store._database.execute("UPDATE runs SET result = '{\"seed\": 1}' WHERE id = 1")
        found = index_of(store, workload, demo)
    assert [one.id for one in found.digests] == [2, 3]
    assert [(one.id, one.problem[:14]) for one in found.unfinished] == [(5, ""), (1, "cannot be read")]


def test_a_report_is_of_the_latest_run_that_a_person_asked_for(
    demo: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(demo)
    assert invoke(["report", "--quick", "--jobs", "1"]) == ExitCode.KEPT
    pages = demo / ".acidtest" / "reports"
    assert "Run 2 ·" in Parsed((pages / "run.html").read_text("utf-8")).text  # 3 and 4 were made for measures
    index = Parsed((pages / "index.html").read_text("utf-8"))
    assert index.h1.startswith("Run 2:")
    assert "run 2, written" in index.text
    assert invoke(["report", "3", "--quick", "--jobs", "1"]) == ExitCode.KEPT
    assert "Run 3 ·" in Parsed((pages / "run.html").read_text("utf-8")).text
    capsys.readouterr()
    assert invoke(["report", "--help"]) == ExitCode.KEPT
    assert "the latest that `acidtest run` made" in " ".join(capsys.readouterr().out.split())
