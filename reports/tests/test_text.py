"""Whole pages as a person sees them, against files that were looked at once."""

import json
import os
from fractions import Fraction
from pathlib import Path

import pytest

from acidtest.mutants import model
from acidtest.mutants.model import Control, Mode
from acidtest.reports.render import catalog_text, text
from acidtest.reports.render.json_ import run_document
from acidtest.reports.render.markdown import catalog_page, kill_matrix_page
from acidtest.reports.render.shares import percent
from acidtest.reports.summary import Summary, summarize
from acidtest.reports.tests.hand_made import matrix, mutant, run_of

GOLDEN = Path(__file__).parent / "golden"
MUTANTS = (
    mutant("s01", ("test_a",)),
    mutant("s02", ("test_b",)),
    mutant("s03", ("test_a", "test_c")),
    mutant("s04", ("test_a",), pitfall=None, origin="SGLang; FlashInfer"),
    mutant("s05", ("test_a", "test_gone")),
    mutant("s06", ("test_b",), pitfall=None),
    mutant("s07", ("test_c",)),
    mutant("s08", (), expect="survived", because="no test can see it"),
)
ROWS = {
    "s01": "K..",
    "s02": "KKK",
    "s03": "K..",
    "s04": ".K.",
    "s05": "...",
    "s06": "-T.",
    "s07": "---",
    "s08": "...",
}
DIFF = """\
--- a/demo/gate.py
+++ b/demo/gate.py
@@ -1,2 +1,2 @@
 def accept(u, r):
-    return u < r
+    return u <= r
"""


def agrees_with_golden(page: str, name: str) -> None:
    path = GOLDEN / name
    if os.environ.get("ACIDTEST_WRITE_GOLDEN"):
        path.write_text(page, encoding="utf-8")
    assert page == path.read_text("utf-8"), f"look at the page; ACIDTEST_WRITE_GOLDEN=1 writes {path} anew"


def mixed() -> Summary:
    return summarize(run_of(matrix("abc", **ROWS)), MUTANTS, "/home/demo", "tests", own_suite=True)


@pytest.mark.parametrize("width", [80, 130])
def test_run_page_shows_every_mutant_and_what_is_wrong_with_it(width: int) -> None:
    agrees_with_golden(text.run_page(mixed(), width, colour=False), f"run-{width}.txt")


def test_run_page_of_a_foreign_suite_compares_no_killers() -> None:
    run = run_of(matrix("abc", s01="KKK", s02="..."), mode=Mode.FIRST_KILL, resumed=4)
    summary = summarize(run, MUTANTS[:2], "/home/demo", "/elsewhere", own_suite=False, fail_under=Fraction(60))
    agrees_with_golden(text.run_page(summary, 80, colour=False), "run-foreign.txt")


def test_run_page_without_verdict_says_why() -> None:
    control = Control("control:canary:demo.gate", "must fail", "test_a passed, expected failed")
    run = run_of(matrix("ab", s01="K."), controls=(control,), problems=("control canary: test_a passed",))
    summary = summarize(run, MUTANTS[:1], "/home/demo", "tests", own_suite=True)
    agrees_with_golden(text.conclusions(summary, 80, colour=False), "run-no-verdict.txt")


def test_header_has_all_that_is_needed_to_run_it_again() -> None:
    versions = {"python": "3.11.7", "acidtest": "0.1.0"}
    page = text.header("/home/demo", "tests", 7, "matrix", 1, versions, 80)
    assert page.splitlines() == [
        "workload  /home/demo",
        "tests     tests",
        "seed      7, matrix mode, 1 job",
        "versions  python 3.11.7, acidtest 0.1.0",
    ]


def test_list_page_shows_every_entry() -> None:
    agrees_with_golden(catalog_text.list_page(MUTANTS[:3], 80, colour=False), "list.txt")


def test_tests_page_shows_a_parametrized_test_once() -> None:
    tests = (
        model.Test("t/test_x.py::test_a[1]", "test_a", "unit", True, "Checks one.", "ids get lost."),
        model.Test("t/test_x.py::test_a[2]", "test_a", "unit", True, "Checks one.", "ids get lost."),
        model.Test("t/test_x.py::test_b", "test_b", "boundary", False, "Checks another."),
    )
    agrees_with_golden(catalog_text.tests_page(tests, MUTANTS[:3], 80, colour=False), "tests.txt")


def test_show_page_has_diff_witness_killers_and_examples() -> None:
    kills = [trial for trial in mixed().run.matrix.of_variant("s02") if trial.outcome == "failed"]
    example = {kills[0].test: "Failing test case: test_a(\n    x=10,\n)"}
    page = catalog_text.show_page(MUTANTS[1], DIFF, kills, example, "killed in the latest run by", 80, colour=False)
    agrees_with_golden(page, "show.txt")


def test_claims_page_lists_every_fault_under_its_claim() -> None:
    claims = [("entries are complete", "2 of 2", ()), ("killers exist", "1 of 2", ("s01.toml: no test " + "x" * 70,))]
    agrees_with_golden(catalog_text.claims_page(claims, 80, colour=False), "claims.txt")


def test_no_line_is_wider_than_the_terminal() -> None:
    for width in (40, 60, 80, 100, 120, 200):
        page = text.run_page(mixed(), width, colour=False)
        assert max(map(len, page.splitlines())) <= width


def test_colour_is_only_there_where_it_is_asked_for() -> None:
    assert "\x1b[" in text.run_page(mixed(), 80, colour=True)
    assert "\x1b" not in text.run_page(mixed(), 80, colour=False)


def test_square_brackets_of_a_title_are_no_markup() -> None:
    entry = mutant("s01", title="takes [red]x[/red] for [1, 2]")
    assert "takes [red]x[/red] for [1, 2]" in catalog_text.list_page([entry], 120, colour=False)


def test_score_is_never_rounded_up_to_all() -> None:
    assert percent(Fraction(9999, 10000)) == "99.9%"
    assert (percent(Fraction(1)), percent(Fraction(0)), percent(None)) == ("100.0%", "0.0%", "none")


def test_json_document_says_what_the_page_says() -> None:
    document = json.loads(run_document(mixed()))
    assert document["schema"] == "acidtest.run/1"
    assert document["exit_code"] == 1
    assert document["promises"] == {"kept": 3, "of": 8}
    assert [entry["grade"] for entry in document["mutants"]] == [
        "exact", "superset", "partial", "wrong_killer", "survived", "unjudged", "survived", "survived",
    ]  # fmt: skip
    assert document["scores"]["strict"] == {"numerator": 1, "denominator": 2, "value": 0.5}
    assert len(document["trials"]) == 24


def test_catalog_page_shows_special_characters_as_they_are() -> None:
    entry = mutant("s01", title="takes a_b * c", pitfall=None, origin="engine #7")
    page = catalog_page([entry], {"s01": DIFF})
    agrees_with_golden(page, "catalog.md")


def test_kill_matrix_page_has_one_table_a_function() -> None:
    entries = [MUTANTS[0], mutant("s09", ("test_a", "test_z"), function="refuse"), MUTANTS[2]]
    agrees_with_golden(kill_matrix_page(entries), "kill-matrix.md")


def test_trial_details_are_cut_and_counted() -> None:
    base = matrix("abcde", s01="TTTTT")
    page = text.run_page(summarize(run_of(base), MUTANTS[:1], "w", "t", own_suite=True), 80, colour=False)
    assert page.count("::test_") == 3
    assert "and 2 more" in page
