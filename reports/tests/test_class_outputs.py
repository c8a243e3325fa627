"""The files that grading a class leaves: what they say, that programs can read them, that no text in them does harm."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest

from acidtest.mutants.model import Outcome
from acidtest.mutants.workload import embedded
from acidtest.reports.class_files import GRADES, JUNIT, PAGE, RESULTS, class_folder, write_class
from acidtest.reports.class_summary import ClassSummary
from acidtest.reports.grading import Scheme, Standing
from acidtest.reports.render import grade_json
from acidtest.reports.render.class_csv import cell, grades_csv
from acidtest.reports.render.class_jsonl import result_document, results_jsonl
from acidtest.reports.render.class_page import class_html
from acidtest.reports.render.fields import block, line
from acidtest.reports.render.grade_json import grade_document
from acidtest.reports.render.grade_junit import class_junit
from acidtest.reports.render.shares import percent
from acidtest.reports.tests.class_cases import HOSTILE, assessed, empty, everyday, hostile
from acidtest.reports.tests.strict import Page, read_csv, read_json, read_junit, schema, validator
from acidtest.reports.tests.test_text import agrees_with_golden

CLASSES: dict[str, Callable[[], ClassSummary]] = {"everyday": everyday, "empty": empty, "hostile": hostile}
VERSIONS = {"python": "3.11.7", "acidtest": "0.1.0", "hypothesis": "6.170.17", "pytest": "9.0.2", "numpy": "2.1.0"}


@pytest.fixture(params=CLASSES)
def summary(request: pytest.FixtureRequest) -> ClassSummary:
    return CLASSES[request.param]()


def main_of(page: str) -> str:
    """Return the page without its style and its scripts."""
    return page[page.index("<main") : page.index("</main>")] + "</main>\n"


def documents(summary: ClassSummary) -> list[dict[str, object]]:
    return [read_json(text) for text in results_jsonl(summary)]


@pytest.fixture
def same_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grade_json, "versions", lambda: VERSIONS)


@pytest.mark.usefixtures("same_versions")
def test_the_files_of_a_class_are_as_they_were_when_somebody_looked_at_them() -> None:
    agrees_with_golden(grades_csv(everyday()).replace("\r\n", "\n"), "class-grades.csv")
    agrees_with_golden("".join(results_jsonl(everyday())), "class-results.jsonl")
    agrees_with_golden(class_junit(everyday()), "class-junit.xml")
    agrees_with_golden(main_of(class_html(everyday())), "class-main.html")


def test_every_line_of_the_results_is_what_the_published_schema_says(summary: ClassSummary) -> None:
    for document in documents(summary):
        validator("result.json").validate(document)


@pytest.mark.parametrize("name", ["grade.json", "result.json"])
def test_the_published_schemas_are_schemas_and_name_the_version_that_is_written(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(name))
    document = result_document(everyday().rows[0], everyday().meta)
    found = document["grade"] if name == "grade.json" else document
    assert schema(name)["properties"]["schema"]["const"] == schema(name)["title"] == found["schema"]
    assert set(schema(name)["required"]) == set(schema(name)["properties"]) == set(found)


def test_the_schema_of_the_results_refuses_what_must_not_be_there() -> None:
    by_id = {document["id"]: document for document in documents(everyday())}
    score = {"share": 1.0, "exact": "1"}
    for wrong in (
        by_id["kit"] | {"score": score},  # the grader failed: no score
        by_id["jon"] | {"score": score},  # nothing was handed in
        by_id["ada"] | {"standing": "missing"},
        by_id["ada"] | {"grade": None},
        by_id["ada"] | {"score": {"share": 1.5, "exact": "3/2"}},
        by_id["ada"] | {"scheme": "by-luck"},
        by_id["ada"] | {"more": 1},
        {key: item for key, item in by_id["ada"].items() if key != "key"},
    ):
        with pytest.raises(jsonschema.ValidationError):
            validator("result.json").validate(wrong)
    validator("result.json", closed=False).validate(by_id["ada"] | {"more": 1})


def test_the_document_of_one_submission_is_what_its_published_schema_says() -> None:
    for row in (*everyday().rows, *hostile().rows):
        if row.assessment is not None:
            validator("grade.json").validate(grade_document(row.assessment))


def test_the_grade_book_reads_back_as_the_class(summary: ClassSummary) -> None:
    rows = read_csv(grades_csv(summary))
    assert [row["id"] for row in rows] == [cell(row.id) for row in summary.rows]
    for row, one in zip(rows, summary.rows, strict=True):
        assert row["standing"] == (one.assessment.standing.value if one.assessment else "missing")
        if one.score is None:
            assert row["score"] == ""
        else:
            assert abs(Fraction(row["score"]) - one.score) < Fraction(1, 10**6)
        if one.assessment is not None and one.assessment.trials:
            passed = sum(trial.outcome is Outcome.PASSED for trial in one.assessment.trials)
            assert (row["passed"], row["of"]) == (str(passed), str(len(one.assessment.trials)))


def test_all_files_give_a_learner_one_standing_and_one_score(summary: ClassSummary) -> None:
    rows = read_csv(grades_csv(summary))
    lines = documents(summary)
    assert len(rows) == len(lines) == len(summary.rows)
    for row, document in zip(rows, lines, strict=True):
        score = document["score"]
        assert row["standing"] == document["standing"]
        assert row["score"] == ("" if score is None else f"{score['share']:.6f}".rstrip("0").rstrip("."))  # type: ignore[index]


@pytest.mark.parametrize("scheme", Scheme)
def test_the_score_is_the_one_of_the_scheme(scheme: Scheme) -> None:
    for row in everyday(scheme).rows:
        if row.assessment is not None and row.assessment.trials:
            (document,) = (one for one in documents(everyday(scheme)) if one["id"] == row.id)
            assert document["score"] == {
                "share": float(row.assessment.scores[scheme]),
                "exact": str(row.assessment.scores[scheme]),
            }


def test_junit_has_a_suite_for_everybody_who_handed_something_in(summary: ClassSummary) -> None:
    root = read_junit(class_junit(summary))
    handed_in = [row for row in summary.rows if row.assessment is not None]
    assert [suite.attrib["name"] for suite in root] == [line(row.id) for row in handed_in]
    for suite, row in zip(root, handed_in, strict=True):
        assert row.assessment is not None
        passed = [case for case in suite if len(case) == 0]
        assert len(passed) == row.assessment.passed
        assert (row.assessment.standing is Standing.PASSED) == (len(passed) == len(suite))


def test_the_page_says_what_the_summary_says() -> None:
    found = everyday()
    page = Page(class_html(found))
    for rate in found.rates:
        assert f"{percent(rate.rate)} {rate.failed} of {rate.judged}" in page.text
    for mistake in found.mistakes:
        assert f"{mistake.mutant} {mistake.count} {mistake.title}" in page.text
    for pair in found.together:
        assert f"{pair.one} and {pair.other} : {pair.count} learner" in page.text
    for need in found.needs_human:
        assert f"{need.id} {need.concern.value}" in page.text
    assert [attributes["id"] for tag, attributes in page.tags if tag == "tr" and "data-standing" in attributes] == [
        f"learner-{number}" for number in range(len(found.rows))
    ]


def test_every_link_of_the_page_leads_somewhere(summary: ClassSummary) -> None:
    page = Page(class_html(summary))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = {attributes["href"] for tag, attributes in page.tags if tag == "a"}
    assert targets <= {f"#{one}" for one in ids}


def test_the_mistakes_of_a_class_are_a_symmetric_matrix() -> None:
    page = class_html(everyday())
    table = page[page.index('class="heat together"') :]
    cells = [
        [row.split(">")[1].split("<")[0] for row in body.split("<td ")[1:]]
        for body in table[: table.index("</table>")].split("<tr>")[2:]
    ]
    counts = [[0 if value == "\u2013" else int(value) for value in row] for row in cells]
    assert counts == [[4, 2, 1], [2, 2, 0], [1, 0, 2]]


def test_no_text_from_outside_becomes_part_of_a_page() -> None:
    page, plain = Page(class_html(hostile())), Page(class_html(empty()))
    for tag in ("script", "style", "img", "iframe", "object", "base", "link", "meta"):
        assert page.count(tag) == plain.count(tag)
    for tag, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on")], (tag, attributes)
        assert attributes.get("href", "#").startswith("#")
    assert "49" not in page.text  # no template was filled in twice
    assert HOSTILE[0] in page.text
    for character in ("\x1b", "\x00", "\u202e", "\ud83d"):
        assert character not in class_html(hostile())


def test_text_from_outside_is_written_out_and_bounded() -> None:
    assert line("a\x1b[1m\tb\r\nc\ud800\uffff") == "a[U+001B][1m[U+0009]b[U+000A]c[U+D800][U+FFFF]"
    assert block("a\tb\r\nc\x00") == "a\tb\nc[U+0000]"
    assert line("x" * 5000) == "x" * 3999 + "\u2026"
    assert line("x" * 5000, None) == "x" * 5000
    assert [cell(text) for text in ("=1", " =1", "\t=1", "-1", "@a", "1-1", "\uff1d1")] == [
        "'=1",
        "' =1",
        "'[U+0009]=1",
        "'-1",
        "'@a",
        "1-1",
        "'\uff1d1",
    ]


def test_an_interrupted_class_leaves_the_same_files(summary: ClassSummary) -> None:
    meta = replace(summary.meta, jobs=7, judged=0, kept=9, seconds=0.25)
    again = replace(summary, meta=meta)
    for render in (grades_csv, class_junit, class_html):
        assert render(again) == render(summary)
    assert list(results_jsonl(again)) == list(results_jsonl(summary))


def test_times_stand_under_seconds_alone() -> None:
    def without(node: object) -> object:
        if isinstance(node, dict):
            return {key: without(item) for key, item in node.items() if key != "seconds"}
        return [without(item) for item in node] if isinstance(node, list) else node

    def slower(summary: ClassSummary) -> ClassSummary:
        rows = []
        for row in summary.rows:
            if row.assessment is not None:
                trials = tuple(replace(trial, seconds=trial.seconds + 1) for trial in row.assessment.trials)
                row = replace(row, assessment=replace(row.assessment, trials=trials, seconds=9.0, split={"x": 1.0}))
            rows.append(row)
        return replace(summary, rows=tuple(rows))

    one, other = everyday(), slower(everyday())
    assert [without(document) for document in documents(one)] == [without(document) for document in documents(other)]
    assert documents(one) != documents(other)
    assert grades_csv(one) == grades_csv(other)
    assert class_html(one) == class_html(other)


def test_a_large_class_has_one_line_each() -> None:
    rows = tuple(replace(everyday().rows[0], id=f"learner {number:04}") for number in range(500))
    found = replace(everyday(), rows=rows)
    assert len(read_csv(grades_csv(found))) == len(list(results_jsonl(found))) == 500


def test_the_files_are_written_and_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "out"
    write_class(hostile(), folder)
    write_class(everyday(), folder)
    assert {path.name for path in folder.iterdir()} == {GRADES, RESULTS, PAGE, JUNIT}
    assert (folder / GRADES).read_bytes().decode("utf-8") == grades_csv(everyday())
    assert (folder / PAGE).read_text("utf-8") == class_html(everyday())
    read_junit((folder / JUNIT).read_text("utf-8"))
    lines = (folder / RESULTS).read_text("utf-8").splitlines()
    assert [json.loads(text)["id"] for text in lines] == [row.id for row in everyday().rows]


def test_a_class_s_files_go_to_the_state_folder_if_nobody_says(tmp_path: Path) -> None:
    assert class_folder(embedded(), tmp_path / "s", tmp_path) == tmp_path / "s" / "reports" / "class"
    assert class_folder(embedded(), None, tmp_path) == tmp_path / ".acidtest" / "reports" / "class"


def test_a_learner_with_nothing_to_say_has_an_empty_note() -> None:
    rows = read_csv(grades_csv(everyday()))
    assert rows[0]["note"] == ""
    assert {row["id"]: row["note"] for row in rows}["hal"] == "1 without a verdict; tried twice"
    assert assessed("x", "PPPP").standing is Standing.PASSED
