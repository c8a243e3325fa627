"""The pages of gaps, of strength, and of all runs: verdicts, numbers, and that no text from outside steers."""

import importlib.util
import json
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from acidtest.mutants.model import Run, Trial
from acidtest.mutants.workload import find_workload
from acidtest.reports.cli import invoke
from acidtest.reports.codec import decode, encode
from acidtest.reports.digest import Digest, digest_of_run, digest_of_summary
from acidtest.reports.exits import ExitCode
from acidtest.reports.gaps import Gaps
from acidtest.reports.render.html.gaps_page import gaps_html
from acidtest.reports.render.html.index_page import index_page
from acidtest.reports.render.html.strength_page import strength_html
from acidtest.reports.render.html.trend import charts
from acidtest.reports.run_index import FILE, Index, PageNote, index_of
from acidtest.reports.store import RunRow, Store
from acidtest.reports.tests import other_pages, page_runs
from acidtest.reports.tests.demo import write_demo
from acidtest.reports.tests.hand_made import matrix, run_of

if TYPE_CHECKING:
    from acidtest.reports.tests.browsing import Machine

Capture = pytest.CaptureFixture[str]
PAGES: dict[str, Callable[[], str]] = {
    "gaps": lambda: gaps_html(other_pages.gaps_report()),
    "no gaps": lambda: gaps_html(other_pages.no_gaps()),
    "hostile gaps": lambda: gaps_html(other_pages.hostile_gaps()),
    "strength": lambda: strength_html(other_pages.strength_report()),
    "no strength": lambda: strength_html(other_pages.no_strength()),
    "hostile strength": lambda: strength_html(other_pages.hostile_strength()),
    "index": lambda: index_page(other_pages.index()),
    "empty index": lambda: index_page(Index("/home/me/.acidtest")),
    "hostile index": lambda: index_page(other_pages.hostile_index()),
}


class Parsed(HTMLParser):
    """A parsed page: elements with attributes, the visible words, and the text of each element with an id."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []
        self.by_id: dict[str, str] = {}
        self.h1 = ""
        self._open: list[tuple[str, str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.tags.append((tag, found))
        self._open.append((tag, found.get("id", "")))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if any(tag in ("script", "style") for tag, _ in self._open):
            return
        self.words.append(data)
        for tag, name in self._open:
            if name:
                self.by_id[name] = self.by_id.get(name, "") + data
            if tag == "h1":
                self.h1 += data

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def tone(self) -> str:
        return next(a["class"].split()[1] for _, a in self.tags if a.get("class", "").startswith("verdict"))

    def tiles(self) -> list[str]:
        return [a["class"] for _, a in self.tags if a.get("class", "").startswith("tile ")]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_whole_in_itself_and_no_text_becomes_markup(name: str) -> None:
    text = PAGES[name]()
    page = Parsed(text)
    assert not [tag for tag, _ in page.tags if tag in ("img", "b", "iframe", "object", "embed", "base", "link")]
    assert not [key for _, attributes in page.tags for key in attributes if key.startswith("on")]
    odd = [c for c in text if (ord(c) < 32 and c not in "\n\t") or c in "\x7f\x9b\u061c\u200e\u200f\ufeff"]
    assert not odd
    assert not [c for c in text if "\u2028" <= c <= "\u202e" or "\u2066" <= c <= "\u2069"]
    text.encode("utf-8")
    policy = [a["content"] for _, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert [line.split("; ")[0] for line in policy] == ["default-src 'none'"]
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert not [one for one, count in Counter(ids).items() if count > 1]
    for tag, attributes in page.tags:
        assert not {"src", "srcset", "action"} & set(attributes), tag
        if "href" in attributes:
            assert attributes["href"] in {*(f"#{one}" for one in ids), "run.html", "gaps.html", "strength.html"}
        for key in ("for", "aria-labelledby", "aria-describedby", "data-copy"):
            assert set(attributes.get(key, "").split()) <= set(ids), (tag, key)


@pytest.mark.parametrize("name", [name for name in PAGES if name.startswith("hostile")])
def test_hostile_text_can_still_be_read(name: str) -> None:
    assert "<b>x</b></script><img src=x onerror=alert(1)>[U+001B][31mred[U+0007]" in Parsed(PAGES[name]()).text


def test_each_gap_has_its_call_its_answers_and_a_test_that_is_copied_whole() -> None:
    report = other_pages.gaps_report()
    page = Parsed(gaps_html(report))
    assert page.h1 == "3 gaps: mutants answer differently, and no test notices"
    assert page.tone() == "bad"
    assert page.by_id["module-text"] == report.module
    shown = [page.by_id[f"gap-{number}-title"] for number in (1, 2, 3)]
    assert [title.split()[0] for title in shown] == ["s05", "demo.accept.7", "s08"]  # the worst kind first
    tests = {gap.variant.id: gap.test for gap in report.gaps.gaps}
    for number, name in ((1, "s05"), (3, "s08")):
        test = tests[name]
        assert test is not None
        assert page.by_id[f"gap-{number}-test"].endswith(test.text)
    assert page.by_id["gap-1-example"] == "from hypothesis import example\n@example(u=0.1, r=0.1)"
    assert "right above test_accept in tests/test_gate.py" in page.by_id["gap-1"]
    second = " ".join(page.by_id["gap-2"].split())
    for words in (
        "accept(u=0.3 (0x1.3333333333333p-2), r=0.30000000000000004 (0x1.3333333333334p-2))",
        "reference answersTrue",
        "mutant answersFalse",
        "test_gate.py::test_b, which calls accept(u=0.25, r=0.5)",
        "Both answer True to that call",
        "differs from the witness in u, r: the nearest of 12 different calls of accept, made by 3 tests",
        "No test to paste: it fails on the wheat slow",
    ):
        assert words in second
    assert "No test executes the changed code or calls the function." in page.by_id["gap-3"]
    assert "4321 calls compared" in page.by_id["equal"]
    assert "no end within 30 s; 12 calls compared" in page.by_id["undecided"]
    assert "s06 timed out" in page.by_id["listed"]


def test_a_page_of_gaps_counts_what_the_search_found() -> None:
    gaps = other_pages.gaps_report().gaps
    words = Parsed(PAGES["gaps"]()).text
    known = len(gaps.gaps) + len(gaps.equal) + len(gaps.undecided)
    assert f"survivors {known} mutants" in words
    assert f"gaps {len(gaps.gaps)} answer differently" in words
    assert f"tests to paste {len(gaps.tests)} each run" in words
    assert "1 math-wrong, 1 bit-wrong." in words


@pytest.mark.parametrize(
    ("change", "headline", "tone"),
    [
        (lambda gaps: Gaps(()), "No gap: no mutant of this run survived", "good"),
        (lambda gaps: Gaps((), gaps.equal), "No gap: no call of D shows any of 1 survivor", "good"),
        (lambda gaps: Gaps((), gaps.equal, gaps.undecided), "No gap found, 1 survivor undecided", "open"),
        (lambda gaps: Gaps((), (), (), gaps.listed), "No survivor, but 1 mutant without a verdict", "open"),
        (lambda gaps: Gaps(gaps.gaps[:1]), "1 gap: a mutant answers differently, and no test notices", "bad"),
    ],
)
def test_a_page_of_gaps_begins_with_what_was_found(change: Callable[[Gaps], Gaps], headline: str, tone: str) -> None:
    report = other_pages.gaps_report()
    page = Parsed(gaps_html(replace(report, gaps=change(report.gaps))))
    assert (page.h1, page.tone()) == (headline, tone)


def test_survivors_of_a_run_without_a_verdict_are_said_to_be_that() -> None:
    report = replace(other_pages.gaps_report(), run=page_runs.failed_baseline().summary.run)
    page = Parsed(gaps_html(report))
    assert page.h1.startswith("Survivors of a run without a verdict: the tests fail on the unchanged code")


def test_a_module_that_does_not_hold_is_not_shown() -> None:
    report = replace(other_pages.gaps_report(), module="", problem="as one module the tests do not hold: test_a")
    page = Parsed(gaps_html(report))
    assert "module-text" not in page.by_id
    assert "as one module the tests do not hold: test_a" in page.by_id["module"]


def test_a_page_of_strength_begins_with_the_survivors_and_leaves_no_measure_out() -> None:
    report = other_pages.strength_report()
    page = Parsed(strength_html(report))
    assert (page.h1, page.tone()) == ("1 of 5 mutants survived", "bad")
    start = page.text.index("1 of 5 mutants survived")
    for words in (
        "1 mutant survived every test",
        "test_e: under 1 of 3 seeds",
        "s01: under 1 of 2 seeds",
        "s06: timed out",
        "A note on what was left out.",
    ):
        assert start < page.text.index(words) < page.text.index("How strong the suite is")
    assert "D has 10 calls (0123abcd)" in page.by_id["domain"]
    assert report.strength.domain is not None
    assert page.by_id["domain"].count("s03") == 1  # the pair that only calls tell apart
    assert "test_c, test_d apparently say the same" in " ".join(page.by_id["conjectures"].split())
    rows = [attributes["class"] for _, attributes in page.tags if attributes.get("class") == "range"]
    assert len(rows) == 3  # one test, the smallest suite's two, all five
    assert "a smallest suite (80.0%)" in page.by_id["sizes"]
    assert page.by_id["inputs"].index("s04") < page.by_id["inputs"].index("s03")  # the hardest first


def test_a_suite_that_was_tried_on_nothing_has_no_verdict() -> None:
    page = Parsed(PAGES["no strength"]())
    assert (page.h1, page.tone()) == ("No verdict: no mutant met every test", "bad")
    assert "acidtest strength --domain" in page.by_id["domain"]


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
    page = Parsed(PAGES["empty index"]())
    assert page.h1 == "No finished run is kept"
    assert "acidtest run" in page.text
    note = PageNote("run.html", "2026-01-01", None, "test_a fails on the unchanged code")
    page = Parsed(index_page(Index("/x", pages=(note,))))
    assert "The latest run came to no mutant. test_a fails on the unchanged code" in page.text


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


def test_the_commands_leave_their_pages_and_an_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    test = "from demo.gate import accept\n\ndef test_accept_is_strict():\n    assert not accept(0.25, 0.25)\n"
    folder = write_demo(tmp_path / "demo", {"tests/test_gate.py": test})
    monkeypatch.chdir(folder)
    pages = folder / ".acidtest" / "reports"
    assert invoke(["run", "--quiet", "--no-generated", "--jobs", "1", "--no-page"]) == ExitCode.BROKEN
    assert not pages.exists()
    assert invoke(["strength", "--jobs", "1", "--no-page"]) == ExitCode.BROKEN
    assert not pages.exists()
    assert invoke(["gaps", "--jobs", "1", "--write", "all.py"]) == ExitCode.BROKEN
    assert capsys.readouterr().out.count("page       .acidtest/reports/gaps.html\n") == 1
    gaps = Parsed((pages / "gaps.html").read_text("utf-8"))
    assert gaps.h1.startswith("1 gap:")
    assert gaps.by_id["module-text"] == (folder / "all.py").read_text("utf-8")
    assert invoke(["strength", "--jobs", "1"]) == ExitCode.BROKEN
    assert "page       .acidtest/reports/strength.html\n" in capsys.readouterr().out
    assert Parsed((pages / "strength.html").read_text("utf-8")).h1 == "1 of 2 mutants survived"
    index = Parsed((pages / "index.html").read_text("utf-8"))
    assert index.h1 == "Run 1: 1 mutant alive"
    assert [a["href"] for _, a in index.tags if a.get("href", "").endswith(".html")] == ["gaps.html", "strength.html"]


NO_BROWSER = importlib.util.find_spec("playwright") is None or not any(
    map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))
)


@pytest.mark.skipif(NO_BROWSER, reason="no browser, or no driver for one, is installed")
@pytest.mark.parametrize("name", ["gaps", "strength", "index", "hostile gaps", "hostile strength", "hostile index"])
def test_a_page_in_a_browser_is_silent_fits_a_phone_and_can_be_used_by_all(machine: "Machine", name: str) -> None:
    from acidtest.reports.tests.browsing import violations, wide_elements

    file = machine.folder / f"{name}.html"
    file.write_text(PAGES[name](), "utf-8")
    seen = machine.open(name, width=390, scheme="dark" if name == "index" else "light")
    assert wide_elements(seen.page) == []
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= 390
    if not name.startswith("hostile"):
        assert violations(seen.page) == []
    if name == "gaps":
        for kept, button in (("gap-1-test", 0), ("gap-1-example", 1), ("module-text", -1)):
            seen.page.locator(".copy").nth(button).focus()
            seen.page.keyboard.press("Enter")
            seen.page.locator(f"[data-copy={kept}]", has_text="Copied").wait_for()
            copied = seen.page.evaluate("navigator.clipboard.readText()")
            assert copied == seen.page.evaluate(f"document.getElementById('{kept}').textContent")
    if name == "index":
        known = [
            point for chart in charts(other_pages.index().digests) for line in chart.lines for point in line.points
        ]
        shown = seen.page.locator(".trend .point:not([data-kind=none])")
        assert shown.count() == len(known)
        seen.page.locator('.point[data-run="4"][data-kind="catalog"] .hit').hover()
        assert seen.text("#tip") == "run 4, 2026-01-06 03:04: 43 of 46 mutants of the catalog killed, 93.4%"
        plot = seen.page.locator(".trend-plot > svg").bounding_box()
        mark = seen.page.locator('.point[data-run="9"][data-kind="catalog"] .catalog').bounding_box()
        assert plot
        assert mark
        score = 1 - (mark["y"] + mark["height"] / 2 - plot["y"]) / plot["height"]
        assert 80 + 20 * score == pytest.approx(100 * 45 / 46, abs=0.2)  # two pixels of 208 stand for 0.2%
    if name == "strength":
        assert seen.page.locator("#graph button").count() == len(other_pages.strength_report().strength.classes)
    assert seen.said == []
    assert seen.asked == [file.as_uri()]
    seen.page.context.close()
