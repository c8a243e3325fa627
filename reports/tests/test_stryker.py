"""Stryker's format: it is what the published schema says, every mutant is in its place, and the numbers are ours."""

import hashlib
import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it has no types
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acidtest.reports.render import stryker_page
from acidtest.reports.render.spans import position, span_of
from acidtest.reports.render.stryker import stryker_document
from acidtest.reports.run_files import RunFiles, line_of
from acidtest.reports.run_report import RunReport
from acidtest.reports.tests import page_runs
from acidtest.reports.tests.format_runs import CERTIFICATE, EDITS, FILES, GATE, REPORTS, TESTS, edited, placed
from acidtest.reports.tests.hand_made import matrix, mutant, run_of
from acidtest.reports.tests.test_text import agrees_with_golden

SCHEMAS = Path(__file__).parent / "schemas"
SCHEMA = json.loads((SCHEMAS / "mutation-testing-report-schema.json").read_text("utf-8"))
VENDOR = Path(stryker_page.__file__).parent / "vendor"


def document(report: RunReport, files: RunFiles | None = None) -> dict[str, Any]:
    """Return the document, after checking it against the schema."""
    found: dict[str, Any] = json.loads(stryker_document(report, files or RunFiles(FILES)))
    jsonschema.Draft7Validator(SCHEMA).validate(found)
    return found


def mutants_of(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["id"]: one for file in found["files"].values() for one in file["mutants"]}


@pytest.mark.parametrize("name", REPORTS)
def test_every_run_makes_a_document_of_the_published_schema(name: str) -> None:
    found = document(REPORTS[name]())
    assert found["schemaVersion"] == "2"
    assert list(found)[1] == "config"
    assert next(iter(found["config"])) == "verdict"


def test_the_schema_would_refuse_a_document_that_is_none() -> None:
    found = document(*placed())
    found["files"]["demo/gate.py"]["mutants"][0]["location"]["start"]["column"] = 0
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft7Validator(SCHEMA).validate(found)


def test_the_document_is_as_it_was_looked_at() -> None:
    agrees_with_golden(stryker_document(*placed()), "stryker.json")


def test_a_replacement_put_in_its_place_gives_the_mutated_file() -> None:
    found = document(*placed())
    lines = found["files"]["demo/gate.py"]["source"].split("\n")

    def offset(place: dict[str, int]) -> int:
        units = lines[place["line"] - 1].encode("utf-16-le")[: 2 * (place["column"] - 1)]
        return sum(len(line) + 1 for line in lines[: place["line"] - 1]) + len(units.decode("utf-16-le"))

    mutants = mutants_of(found)
    assert set(mutants) == set(EDITS)
    for name, one in mutants.items():
        start, end = offset(one["location"]["start"]), offset(one["location"]["end"])
        assert start < end
        assert GATE[:start] + one["replacement"] + GATE[end:] == edited(name).source


def test_columns_count_utf16_units_from_one() -> None:
    start = mutants_of(document(*placed()))["s02"]["location"]["start"]
    line = GATE.split("\n")[start["line"] - 1]
    assert line.index("0.0") + 1 == 23
    assert start == {"line": 7, "column": 24}  # the door before it takes two units


@pytest.mark.parametrize(
    ("original", "mutated", "cut", "put"),
    [
        ("if u < r:\n", "if u <= r:\n", "<", "<="),
        ("return x\n", "return not x\n", "x", "not x"),
        ("return x\n", "return x + 1\n", "x", "x + 1"),
        ("f(1.0)", "f(2.0)", "1.0", "2.0"),
        ("    a\n    b\n", "    a\n", "    b\n", ""),
        ("", "a", "", "a"),
    ],
)
def test_a_span_is_of_whole_words(original: str, mutated: str, cut: str, put: str) -> None:
    span = span_of(original, mutated)
    assert (original[span.start : span.end], span.replacement) == (cut, put)


@given(st.text("ab <=\n\U0001f6aa", max_size=9), st.text("ab <=\n\U0001f6aa", max_size=9))
def test_a_span_makes_the_other_text_and_is_not_empty(original: str, mutated: str) -> None:
    span = span_of(original, mutated)
    assert original[: span.start] + span.replacement + original[span.end :] == mutated
    assert span.start < span.end or not original or original == mutated
    place = position(original, span.start)
    assert min(place.values()) >= 1


def test_tests_are_named_once_and_every_killer_reaches_what_it_kills() -> None:
    found = document(*placed())
    ids = [test["id"] for file in found["testFiles"].values() for test in file["tests"]]
    assert len(ids) == len(set(ids)) == 3
    for one in mutants_of(found).values():
        killed, covered = one.get("killedBy", []), one.get("coveredBy", [])
        assert set(killed) <= set(covered) <= set(ids)
        assert (one["status"] == "Killed") == bool(killed)


def test_a_test_is_shown_where_its_function_begins() -> None:
    (file,) = document(*placed())["testFiles"].values()
    assert file["source"] == TESTS
    assert [test["location"]["start"]["line"] for test in file["tests"]] == [1, 6, 7]
    assert line_of("t.py::test_a", "def test_a(): ...\ndef test_a(): ...\n") is None


def test_a_test_that_never_met_the_mutant_reaches_it_where_it_executed_the_change() -> None:
    one = mutants_of(document(*placed()))["gate.accept.1"]
    assert one["killedBy"] == ["tests/test_gate.py::test_a"]
    assert len(one["coveredBy"]) == 3
    assert one["testsCompleted"] == 1
    report, files = placed()
    moved = replace(report.variants["gate.accept.1"], anchors=(frozenset({99}),))
    far = replace(report, variants={**report.variants, "gate.accept.1": moved})
    assert mutants_of(document(far, files))["gate.accept.1"]["coveredBy"] == ["tests/test_gate.py::test_a"]


def test_a_certified_mutant_is_ignored_with_its_reason_and_its_domain() -> None:
    one = mutants_of(document(*placed()))["gate.accept.3"]
    assert one["status"] == "Ignored"
    assert CERTIFICATE.reason in one["statusReason"]
    assert one["statusReason"].endswith("D d0d0.")


def score(found: dict[str, Any]) -> Fraction | None:
    """Return the score as Stryker's readers count it."""
    count = Counter(one["status"] for one in mutants_of(found).values())
    detected = count["Killed"] + count["Timeout"]
    valid = detected + count["Survived"] + count["NoCoverage"]
    return Fraction(detected, valid) if valid else None


def test_a_reader_of_the_document_counts_our_stryker_score() -> None:
    report, files = placed()
    made = report.summary.generated
    assert made is not None
    catalog = replace(report, variants={name: v for name, v in report.variants.items() if v.kind == "catalog"})
    assert score(document(catalog)) == report.summary.scores.stryker == Fraction(3, 5)
    others = replace(report, variants={name: v for name, v in report.variants.items() if v.kind == "generated"})
    assert score(document(others, files)) == made.scores.stryker == Fraction(1, 2)


@pytest.mark.parametrize("name", ["failed baseline", "misbehaved"])
def test_a_run_without_verdict_lets_no_reader_count_a_score(name: str) -> None:
    report = replace(REPORTS[name](), variants={"s01": edited("s01")})
    found = document(report)
    assert found["config"]["verdict"].startswith("No verdict")
    assert [one["status"] for one in mutants_of(found).values()] == ["Pending"]
    assert score(found) is None


def test_a_mutant_that_is_not_made_any_more_is_named_and_not_placed() -> None:
    report, files = placed()
    found = document(replace(report, variants={}), files)
    assert found["config"]["notShown"] == list(report.summary.run.matrix.variants)
    assert list(mutants_of(found)) == ["gate.accept.3"]


def test_statuses_keep_what_ours_mean() -> None:
    letters = {"s01": "K", "s02": ".", "s03": "-", "s04": "T", "s05": "C"}
    entries = [mutant(name) for name in letters]
    report = page_runs.report_of(run_of(matrix("a", **letters)), entries)
    found = mutants_of(document(replace(report, variants={name: edited(name) for name in letters})))
    words = ["Killed", "Survived", "NoCoverage", "Timeout", "RuntimeError"]
    assert [found[name]["status"] for name in letters] == words
    undecided = page_runs.report_of(run_of(matrix("a", s01="U", s02="X")), entries[:2])
    found = mutants_of(document(replace(undecided, variants={name: edited(name) for name in ("s01", "s02")})))
    assert [(one["status"], "undecided" in one["statusReason"]) for one in found.values()] == [
        ("RuntimeError", True),
        ("CompileError", False),
    ]


# --- the page ------------------------------------------------------------------------------------------------------


def test_the_component_is_the_published_one_and_its_licence_is_beside_it() -> None:
    script = (VENDOR / stryker_page.SCRIPT).read_bytes()
    assert hashlib.sha256(script).hexdigest() == stryker_page.DIGEST
    told = (VENDOR / "README.md").read_text("utf-8")
    assert stryker_page.DIGEST in told
    assert f"{stryker_page.COMPONENT}@{stryker_page.VERSION}" in told
    page = stryker_page.stryker_page(*placed())
    assert script.decode() in page
    assert "Apache License" in page
    assert "END OF TERMS AND CONDITIONS" in page


def test_another_component_than_the_one_looked_at_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    stryker_page._component.cache_clear()
    monkeypatch.setattr(stryker_page, "DIGEST", "0" * 64)
    with pytest.raises(ValueError, match=r"take it in anew"):
        stryker_page.stryker_page(*placed())
    stryker_page._component.cache_clear()


def test_the_page_opens_in_a_browser_and_asks_nobody(tmp_path: Path) -> None:
    pytest.importorskip("playwright", reason="no browser driver is installed")
    from acidtest.reports.tests.browsing import CHROMIUM, browser, visit

    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    file = tmp_path / "stryker.html"
    file.write_text(stryker_page.stryker_page(*placed()), "utf-8")
    with browser() as started:
        context = started.new_context()
        seen = visit(context, file)
        seen.page.get_by_role("link", name="gate.py").click()
        seen.page.get_by_text("return low").first.wait_for()
        assert "survived" in seen.text("header")
        for words in ("Killed (3)", "Survived (2)", "NoCoverage (1)", "Ignored (1)", "Timeout (1)"):
            assert seen.page.get_by_text(words).count() == 1
        assert seen.asked == [file.as_uri()]
        assert seen.said == []
        context.close()
