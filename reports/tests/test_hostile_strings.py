"""Text that nobody may trust, in every field of a run, in every format: it is shown as it is, and does nothing."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from acidtest.mutants.certificates import Certificate
from acidtest.mutants.model import Control, Edit, KillMatrix, Outcome, Test, Trial, Witness
from acidtest.reports.machine_made import machine_made
from acidtest.reports.render import text
from acidtest.reports.render.csv_ import csv_document
from acidtest.reports.render.html.clean import clean
from acidtest.reports.render.json_ import run_document
from acidtest.reports.render.junit import LONGEST, junit_document
from acidtest.reports.render.markdown_summary import ROOM, summary_document
from acidtest.reports.render.stryker import stryker_document
from acidtest.reports.render.stryker_page import stryker_page
from acidtest.reports.run_files import RunFiles, SourceFile
from acidtest.reports.run_report import RunReport
from acidtest.reports.summary import summarize
from acidtest.reports.tests.hand_made import mutant, run_of
from acidtest.reports.tests.page_runs import variant_of
from acidtest.reports.tests.strict import read_csv, read_json, read_junit, steering, strings

HOSTILE = {
    "markup": "<b>x</b><img src=x onerror=alert(1)>",
    "end of a script": "</script><script>alert(1)</script>",
    "end of a comment": "--><script>alert(1)</script><!--",
    "end of a CDATA section": "]]>&entity;&#x0;<!DOCTYPE x>",
    "end of collapsed text": "</details></summary><details open>",
    "ANSI": "\x1b[2J\x1b]0;title\x07\x9b31m\x1b[8mhidden",
    "right to left": "\u202egpj.exe\u2066\u2069\u200f\u061c",
    "NUL and other controls": "a\x00b\x08c\x0cd\x7fe\x85f",
    "line separators": "a\nb\r\nc\rd\u2028e\u2029f\tg",
    "half a pair": "a\ud800b\udfffc",
    "what XML forbids": "a\ufffeb\uffffc\ufeffd",
    "a formula": "=cmd|' /C calc'!A0",
    "another formula": "@SUM(1+1)*cmd|' /C calc'!A0",
    "markdown": "| a | `b` ``` **c** [d](http://e.example) ![f](g) <!-- h --> \\| \\` ~~~ $i$",
    "a template": "{{ 7 * 7 }} {% raw %} ${7} %s {0}",
    "quotes": '"\'`\\"',
    "someone's name": "@octocat see #1 and www.evil.example",
    "a long name": "long" * 5000,
    "no word": "",
    "wide letters": "漢字" * 40 + "👩‍👩‍👧‍👦" + "e\u0301" * 50,
}
_TAGS = {"h2", "p", "strong", "ul", "li", "code", "pre", "blockquote", "details", "summary"} | {
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


def report_of(bad: str) -> tuple[RunReport, RunFiles]:
    """Return a report, and the files it is about, with a text in every field that holds free text."""
    suite = (Test(f"{bad}.py::{bad}", bad, bad, True, bad, bad), Test(f"{bad}/x.py::{bad}[{bad}]", bad, bad))
    names = (f"s01{bad}", f"s02{bad}", f"s03{bad}", f"gate.{bad}.1", f"gate.{bad}.2")
    outcomes = ("K.", "..", "T.", "..", "K.")
    letters = {"K": Outcome.FAILED, ".": Outcome.PASSED, "T": Outcome.TIMED_OUT}
    trials = tuple(
        Trial(name, test.id, letters[letter], bad, bad, 0.1, 3)
        for name, row in zip(names, outcomes, strict=True)
        for test, letter in zip(suite, row, strict=True)
    )
    witness = Witness(bad, {bad or "u": bad}, bad, bad)
    fields = {"title": bad, "module": bad, "function": bad, "rationale": bad, "origin": bad, "because": bad}
    edits = (Edit(bad, bad), Edit(bad))
    entries = [
        mutant(name, (bad,), witness=witness, edits=edits, path=Path("x"), **fields) for name in names if name[0] == "s"
    ]
    made = [replace(variant_of(name, "generated"), title=bad, module=bad, diff=bad) for name in names if name[0] == "g"]
    held = {f"held{bad}": Certificate(bad, bad, bad, bad, bad, bad)}
    run = run_of(KillMatrix(suite, names, trials), versions={"acidtest": bad, bad: bad})
    machine = machine_made(run, made, held)
    summary = summarize(run, entries, bad, bad, True, None, machine)
    source = f"{bad}\nold = 1\n{bad}"
    variants = {
        name: replace(
            variant_of(name), title=bad, module=bad, source=f"{bad}\nnew{bad} = 1\n{bad}", diff=f"+{bad}\n-{bad}"
        )
        for name in names
    }
    files = RunFiles(
        {bad: SourceFile(f"{bad}.py", source)},
        {f"{bad}.py": f"def {bad}(): ...\n"},
        {name: replace(variants[names[0]], id=name) for name in held},
    )
    return RunReport(summary, 1, bad, variants, examples={(names[0], suite[0].id): bad}, notes=(bad,)), files


def spoiled(report: RunReport, bad: str) -> RunReport:
    """Return the same run without verdict, for reasons in the same words."""
    run = report.summary.run
    failure = Trial("", bad, Outcome.FAILED, bad, bad)
    run = replace(run, problems=(bad,), controls=(Control(bad, bad, bad or "?"),))
    run = replace(run, baseline=replace(run.baseline, failures=(failure,)))
    return replace(report, summary=replace(report.summary, run=run))


class Elements(HTMLParser):
    """The elements of a page, their attributes, and what its scripts hold."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.scripts: list[str] = []
        self._inside = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self._inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts[-1] += data


def assert_nothing_steers(document: str) -> None:
    """Refuse whatever moves a cursor, turns a line, cannot be written as UTF-8, or ends a line where none should."""
    document.encode("utf-8")
    assert clean(document) == document
    assert not steering(document)


def check_stryker(report: RunReport, files: RunFiles, bad: str) -> None:
    document = stryker_document(report, files)
    assert document.isascii()
    texts = list(strings(read_json(document)))
    for one in texts:
        assert_nothing_steers(one)
    assert clean(bad) in texts


def check_stryker_page(report: RunReport, files: RunFiles, bad: str) -> None:
    page = stryker_page(report, files)
    assert_nothing_steers(page.replace(bad_free_component(page), ""))
    found = Elements(page)
    assert [tag for tag in found.tags if tag not in ("li", "ul")] == [
        "html", "head", "meta", "meta", "meta", "title", "style", "script", "body", "header", "p",
        "mutation-test-report-app", "script", "script",
    ]  # fmt: skip
    assert found.attributes <= {
        "lang",
        "charset",
        "name",
        "content",
        "http-equiv",
        "class",
        "title-postfix",
        "type",
        "id",
    }
    assert clean(bad) in list(strings(json.loads(found.scripts[1])))


def bad_free_component(page: str) -> str:
    """Return the component inside a page, which is ours to trust and has characters of its own."""
    return page[page.index("<script>") : page.index("</script>")]


def check_junit(report: RunReport, files: RunFiles, bad: str) -> None:
    document = junit_document(report)
    assert_nothing_steers(document)
    root = read_junit(document)
    assert {element.tag for element in root.iter()} <= {
        "testsuites",
        "testsuite",
        "testcase",
        "failure",
        "error",
        "skipped",
    }
    values = [value for element in root.iter() for value in (*element.attrib.values(), element.text or "")]
    assert max(len(line) for value in values for line in value.split("\n")) <= LONGEST
    if "\n" not in clean(bad) and "\t" not in bad and len(bad) < LONGEST // 2:
        assert any(clean(bad) in value for value in values)


def check_csv(report: RunReport, files: RunFiles, bad: str) -> None:
    document = csv_document(report)
    assert_nothing_steers(document.replace("\r\n", "\n"))
    fields = [field for row in read_csv(document) for field in row.values()]
    assert max(map(len, fields)) <= 32_000
    shown = " ".join(clean(bad).split())
    assert any(field.lstrip("'") == shown for field in fields)


def check_markdown(report: RunReport, files: RunFiles, bad: str) -> None:
    page = summary_document(report)
    assert_nothing_steers(page)
    assert len(page) <= ROOM + 100
    html = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(page)
    found = Elements(html)
    assert set(found.tags) <= _TAGS
    assert found.attributes <= {"class"}
    assert found.tags.count("details") == page.count("\n</details>")
    assert "@octocat" not in re.sub(r"`[^`]*`|<code>.*?</code>", "", page)


def check_terminal(report: RunReport, files: RunFiles, bad: str) -> None:
    for width in (40, 80):
        for page in (text.run_page(report.summary, width, False), text.conclusions(report.summary, width, False)):
            assert_nothing_steers(page)
    coloured = text.run_page(report.summary, 80, True)
    assert_nothing_steers(re.sub(r"\x1b\[[0-9;]*m", "", coloured))


def check_json(report: RunReport, files: RunFiles, bad: str) -> None:
    document = run_document(report.summary)
    assert document.isascii()
    assert bad in list(strings(json.loads(document)))


CHECKS: dict[str, Callable[[RunReport, RunFiles, str], None]] = {
    "stryker": check_stryker,
    "stryker page": check_stryker_page,
    "junit": check_junit,
    "csv": check_csv,
    "markdown": check_markdown,
    "terminal": check_terminal,
    "json": check_json,
}


@pytest.mark.parametrize("form", CHECKS)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_in_every_field_is_shown_and_does_nothing(name: str, form: str) -> None:
    bad = HOSTILE[name]
    report, files = report_of(bad)
    CHECKS[form](report, files, bad)
    CHECKS[form](spoiled(report, bad), files, bad)
