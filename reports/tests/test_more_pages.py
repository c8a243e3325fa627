"""The pages of gaps, of strength, and of all runs: verdicts, numbers, and that no text from outside steers."""

import importlib.util
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from acidtest.reports.cli import invoke
from acidtest.reports.exits import ExitCode
from acidtest.reports.gaps import Gaps
from acidtest.reports.render.html.gaps_page import gaps_html
from acidtest.reports.render.html.index_page import index_page
from acidtest.reports.render.html.strength_page import strength_html
from acidtest.reports.render.html.trend import charts
from acidtest.reports.run_index import Index
from acidtest.reports.tests import other_pages, page_runs
from acidtest.reports.tests.demo import write_demo
from acidtest.reports.tests.parsed import Parsed

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


def test_the_commands_leave_their_pages_and_an_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    test = "from demo.gate import accept\n\ndef test_accept_is_strict():\n    assert not accept(0.25, 0.25)\n"
    folder = write_demo(tmp_path / "demo", {"tests/test_gate.py": test})
    monkeypatch.chdir(folder)
    pages = folder / ".acidtest" / "reports"
    assert invoke(["run", "--quiet", "--no-generated", "--jobs", "1", "--no-page"]) == ExitCode.BROKEN
    assert not pages.exists()
    assert invoke(["gaps", "--jobs", "1", "--write", "all.py"]) == ExitCode.BROKEN
    assert capsys.readouterr().out.count("page       .acidtest/reports/gaps.html\n") == 1
    gaps = Parsed((pages / "gaps.html").read_text("utf-8"))
    assert gaps.h1.startswith("1 gap:")
    assert gaps.by_id["module-text"] == (folder / "all.py").read_text("utf-8")
    assert invoke(["strength", "--jobs", "1", "--no-page"]) == ExitCode.BROKEN
    assert not (pages / "strength.html").exists()
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
