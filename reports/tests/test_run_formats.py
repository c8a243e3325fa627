"""JUnit, Markdown and CSV of a run: whole documents as they were looked at, strict readers, the verdict first."""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from acidtest.mutants.model import Outcome
from acidtest.reports.exits import ExitCode
from acidtest.reports.render import text
from acidtest.reports.render.csv_ import COLUMNS, NOT_RUN, csv_document
from acidtest.reports.render.junit import junit_document
from acidtest.reports.render.markdown_summary import ROOM, summary_document
from acidtest.reports.render.markdown_text import code, fence, prose
from acidtest.reports.render.stryker import stryker_document
from acidtest.reports.render.stryker_page import stryker_page
from acidtest.reports.run_files import RunFiles
from acidtest.reports.run_report import RunReport
from acidtest.reports.tests import page_runs
from acidtest.reports.tests.format_runs import REPORTS, placed
from acidtest.reports.tests.strict import read_csv, read_junit
from acidtest.reports.tests.test_text import agrees_with_golden

JUNIT = {
    "testsuites": ({"name", "tests", "failures", "errors", "time"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped", "time"}, {"testcase"}),
    "testcase": ({"classname", "name", "time"}, {"failure", "error", "skipped"}),
    "failure": ({"message", "type"}, set()),
    "error": ({"message", "type"}, set()),
    "skipped": ({"message"}, set()),
}
"""Every element that may stand in the document: its attributes, all of them required, and its children."""


def junit_tree(document: str) -> ET.Element:
    """Return the parsed document, after checking it by Jenkins' schema, and its structure and its sums."""
    root = read_junit(document)
    assert root.tag == "testsuites"
    for element in root.iter():
        attributes, children = JUNIT[element.tag]
        assert set(element.attrib) == attributes
        assert {child.tag for child in element} <= children
        for name in attributes & {"tests", "failures", "errors", "skipped"}:
            assert re.fullmatch(r"\d+", element.attrib[name])
        assert re.fullmatch(r"\d+\.\d{3}", element.attrib.get("time", "0.000"))
        if element.tag in ("testsuites", "testsuite"):
            cases = list(element.iter("testcase"))
            outcomes = Counter(child.tag for case in cases for child in case)
            counts = {"tests": len(cases), "failures": outcomes["failure"], "errors": outcomes["error"]}
            counts |= {"skipped": outcomes["skipped"]} if element.tag == "testsuite" else {}
            assert {name: int(element.attrib[name]) for name in counts} == counts
        assert element.tag != "testcase" or len(element) <= 1
    return root


def rows_of(document: str) -> list[dict[str, str]]:
    """Return the rows of a CSV document, after checking that every one has every column, and no cell a formula."""
    rows = read_csv(document)
    assert tuple(rows[0]) == COLUMNS
    return rows


@pytest.mark.parametrize("name", ["placed", "failed baseline", "everything"])
def test_the_documents_are_as_they_were_looked_at(name: str) -> None:
    report = REPORTS[name]()
    stem = name.replace(" ", "-")
    agrees_with_golden(summary_document(report), f"summary-{stem}.md")
    agrees_with_golden(junit_document(report), f"junit-{stem}.xml")


def test_the_csv_is_as_it_was_looked_at() -> None:
    agrees_with_golden(csv_document(REPORTS["placed"]()).replace("\r\n", "\n"), "matrix.csv")


# --- the verdict first ---------------------------------------------------------------------------------------------

FIRST = {
    "survived": "Broken promises: s02, s03",
    "timed out": "A mutant only timed out, crashed or was left undecided",
    "failed baseline": "No verdict: the tests fail on the unchanged code",
    "misbehaved": "No verdict: a control misbehaved",
    "no mutants": "No verdict: no mutant was tried",
    "no tests": "No verdict: there is no test",
}


def first_of_csv(report: RunReport) -> str:
    row = rows_of(csv_document(report))[0]
    assert row["record"] == "verdict"
    return row["detail"]


FORMATS: dict[str, Callable[[RunReport], str]] = {
    "markdown": lambda report: summary_document(report).splitlines()[0].split(maxsplit=2)[2],
    "junit": lambda report: junit_tree(junit_document(report)).attrib["name"].removeprefix("acidtest: "),
    "csv": first_of_csv,
    "stryker": lambda report: stryker_document(report, RunFiles()).partition('"verdict": "')[2],
    "stryker page": lambda report: stryker_page(report, RunFiles()).partition('<p class="verdict">')[2],
    "terminal": lambda report: " ".join(text.run_page(report.summary, 80, False).split()),
    "quiet terminal": lambda report: " ".join(text.conclusions(report.summary, 80, False).split()),
}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", FIRST)
def test_a_run_that_went_wrong_says_so_first(name: str, form: str) -> None:
    assert FORMATS[form](REPORTS[name]()).startswith(FIRST[name])


@pytest.mark.parametrize("form", FORMATS)
def test_a_run_that_went_well_does_not_begin_with_a_complaint(form: str) -> None:
    told = FORMATS[form](REPORTS["green"]())
    assert not told.startswith(("No verdict", "Broken", "A mutant"))


# --- JUnit ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", REPORTS)
def test_junit_is_green_exactly_where_the_command_exits_with_0(name: str) -> None:
    report = REPORTS[name]()
    root = junit_tree(junit_document(report))
    green = root.attrib["failures"] == root.attrib["errors"] == "0"
    assert green == (report.summary.code is ExitCode.KEPT)


def test_junit_names_each_mutant_and_why_it_did_not_pass() -> None:
    cases = {
        case.attrib["name"].split(":")[0]: case for case in junit_tree(junit_document(placed()[0])).iter("testcase")
    }
    outcomes = {name: (case[0].tag if len(case) else "passed") for name, case in cases.items() if name[0] in "sg"}
    assert outcomes == {
        "s01": "passed", "s02": "failure", "s03": "failure", "s04": "error", "s05": "failure",
        "gate.accept.1": "passed", "gate.accept.2": "failure", "gate.accept.3": "skipped",
    }  # fmt: skip
    assert "D d0d0: 0 and 0.0 compare alike." in cases["gate.accept.3"][0].attrib["message"]
    assert "witness: accept(r=0.5, u=0.5)" in (cases["s05"][0].text or "")


def test_without_a_verdict_no_mutant_passes_in_junit() -> None:
    root = junit_tree(junit_document(REPORTS["failed baseline"]()))
    first = next(case for case in root.iter("testcase") if len(case))
    assert first.attrib["name"] == "the tests pass on the unchanged code"
    (catalog,) = (suite for suite in root if suite.attrib["name"] == "catalog")
    assert [case[0].tag for case in catalog] == ["skipped"]


# --- CSV -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in REPORTS if name != "hostile"])  # whose names are written otherwise
def test_csv_has_a_row_for_each_test_and_mutant_that_says_what_the_matrix_says(name: str) -> None:
    matrix = REPORTS[name]().summary.run.matrix
    rows = [row for row in rows_of(csv_document(REPORTS[name]())) if row["record"] == "trial"]
    assert [(row["mutant"], row["test"]) for row in rows] == [(v, t.id) for v in matrix.variants for t in matrix.tests]
    for row in rows:
        trial = matrix.trial(row["mutant"], row["test"])
        assert row["outcome"] == (trial.outcome.value if trial else NOT_RUN)
    kills = sum(row["outcome"] == Outcome.FAILED for row in rows)
    assert kills == sum(len(matrix.killers_of(variant)) for variant in matrix.variants)


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r=", "\n=", " =", "＝", "＋"])  # noqa: RUF001
def test_no_field_of_csv_is_a_formula(start: str) -> None:
    report = placed()[0]
    matrix = report.summary.run.matrix
    trials = tuple(replace(trial, detail=f"{start}cmd|' /C calc'!A0", reason=start) for trial in matrix.trials)
    run = replace(report.summary.run, matrix=replace(matrix, trials=trials))
    rows = rows_of(csv_document(replace(report, summary=replace(report.summary, run=run))))
    fields = [field for row in rows for field in row.values() if field]
    assert any("calc" in field for field in fields)
    assert not [field for field in fields if field.lstrip().startswith(("=", "+", "-", "@", "\t", "\r", "＝", "＋"))]  # noqa: RUF001


# --- Markdown ------------------------------------------------------------------------------------------------------

TRICKS = [
    "<b>x</b>", "</details><script>alert(1)</script>", "a | b", "`code` and ``more``", "\\`\\|", "**bold** _x_ ~y~",
    "[link](http://evil.example)", "![image](x.png)", "http://evil.example", "www.evil.example", "&lt;b&gt; &amp;",
    "# heading", "- item", "1. item", "> quote", "a\n\n## b", "$x$ $$y$$", "<!-- x -->", "~~~", "```", "^1^ [^1]",
]  # fmt: skip


def shown(markdown: str) -> str:
    """Return the HTML that a reader of GitHub's dialect makes of it, links from bare addresses too."""
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    rendered: str = reader.render(markdown)
    return rendered


def words_of(html: str) -> str:
    bare = re.sub(r"<[^>]*>", "", html)
    for name, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        bare = bare.replace(name, character)
    return " ".join(bare.split())


@pytest.mark.parametrize("trick", TRICKS)
@pytest.mark.parametrize("writer", [prose, code], ids=["prose", "code"])
def test_markdown_shows_any_text_as_it_is_in_a_cell(writer: Callable[[str], str], trick: str) -> None:
    html = shown(f"| a | b |\n|---|---|\n| {writer(trick)} | end |\n")
    assert set(re.findall(r"<(\w+)", html)) <= {"table", "thead", "tbody", "tr", "th", "td", "code"}
    assert html.count("<td>") == 2
    assert words_of(html) == f"a b {' '.join(trick.split())} end"


@pytest.mark.parametrize("trick", TRICKS)
def test_markdown_shows_any_block_as_it_is(trick: str) -> None:
    html = shown(fence(trick, "diff"))
    assert html.startswith('<pre><code class="language-diff">')
    assert set(re.findall(r"<(\w+)", html)) == {"pre", "code"}
    assert words_of(html) == " ".join(trick.split())


def test_markdown_leaves_nothing_to_a_host_that_makes_links_and_calls_people() -> None:
    line = prose("@someone saw https://evil.example and www.evil.example, see #7")
    assert "://" not in line
    assert "www." not in line
    assert "#7" not in line.replace("&#", "")
    assert "@someone" not in line
    assert "@</code>someone" in line


def test_markdown_lists_survivors_in_a_short_table_and_collapses_the_rest() -> None:
    page = summary_document(placed()[0])
    head, *rest = page.split("<details>")
    assert [row.split("|")[1].strip() for row in head.splitlines() if row.startswith("| `")] == [
        "`s03`", "`s05`", "`gate.accept.2`",
    ]  # fmt: skip
    assert len(rest) == page.count("</details>") == 6
    assert "accept(r=0.5, u=0.5)" in head


def test_markdown_of_a_run_without_verdict_lists_no_survivor() -> None:
    report = placed()[0]
    spoiled = replace(report.summary, run=replace(report.summary.run, problems=("a worker died",)))
    page = summary_document(replace(report, summary=spoiled))
    assert "| survivor |" not in page
    assert "Promises kept" not in page


def test_markdown_fits_a_comment_however_much_went_wrong() -> None:
    report = page_runs.large(400, 5)
    alive = report.summary.run.matrix.variants
    matrix = report.summary.run.matrix
    passed = tuple(replace(trial, outcome=Outcome.PASSED, reason="") for trial in matrix.trials)
    run = replace(report.summary.run, matrix=replace(matrix, trials=passed))
    diff = "\n".join(f"+{'`|<' * 300}{number}" for number in range(200))
    variants = {name: replace(report.variants[name], diff=diff, title="*<|" * 500) for name in alive}
    page = summary_document(replace(report, summary=replace(report.summary, run=run), variants=variants))
    assert len(page) <= ROOM + 100
    assert "Not shown for want of room" in page
