"""What a class has in common, by numbers that can be counted by hand."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import pytest

from acidtest.mutants.model import Outcome, Test, Trial
from acidtest.reports.class_command import code_for
from acidtest.reports.class_counts import histogram_of, summarize
from acidtest.reports.class_summary import Concern, Meta, Row, code_of, score_of
from acidtest.reports.clusters import clusters_of, likeness, signature_of
from acidtest.reports.diagnosis import Diagnosis, Match, Verdict
from acidtest.reports.exits import ExitCode
from acidtest.reports.grading import Assessment, Scheme, Standing
from acidtest.reports.render.class_progress import class_pace
from acidtest.reports.render.class_text import class_page

TESTS = tuple(Test(f"t.py::test_{name}", f"test_{name}") for name in ("one", "two"))
META = Meta("class", "", Scheme.BY_TEST, "key", {}, 1)
LETTERS = {"p": Outcome.PASSED, "f": Outcome.FAILED, "t": Outcome.TIMED_OUT}


def judged(
    outcomes: str, named: Sequence[str] = (), unexplained: Sequence[int] = (), answers: str = "aaaaaaaaaa"
) -> Assessment:
    """Return what a submission came to: an outcome for each test, the mistakes named for it, its answers by letter."""
    trials = tuple(Trial("", test.id, LETTERS[letter]) for test, letter in zip(TESTS, outcomes, strict=True))
    standing = Standing.FAILED if "f" in outcomes else Standing.STOPPED if "t" in outcomes else Standing.PASSED
    diagnosis = Diagnosis(
        Verdict.PARTLY if unexplained else Verdict.EXPLAINED,
        tuple(Match(name, (), 1, 1) for name in named),
        len(answers),
        len(answers),
        tuple(unexplained),
        0,
        0,
        tuple(unexplained),
    )
    share = Fraction(outcomes.count("p"), len(outcomes))
    scores = {Scheme.BY_TEST: share, Scheme.ALL_OR_NOTHING: Fraction(share == 1)}
    return Assessment("x", "sha", 1, 1, standing, "", trials, tuple(answers), diagnosis, scores)


def rows(**assessments: Assessment | None) -> Iterator[Row]:
    for name, assessment in assessments.items():
        yield Row(name, assessment=assessment, score=score_of(assessment, Scheme.BY_TEST))


def test_rates_count_failures_and_not_what_was_stopped() -> None:
    summary = summarize(rows(a=judged("pp"), b=judged("fp"), c=judged("tf"), d=None), TESTS, {}, META)
    assert [(rate.judged, rate.failed, rate.stopped, rate.rate) for rate in summary.rates] == [
        (3, 1, 1, Fraction(1, 3)),
        (3, 1, 0, Fraction(1, 3)),
    ]
    assert summary.standings[Standing.PASSED] == 1
    assert [row.id for row in summary.rows] == ["a", "b", "c", "d"]


def test_full_marks_have_a_bin_of_their_own() -> None:
    scores = [Fraction(0), Fraction(1, 10), Fraction(199, 200), Fraction(1), Fraction(1)]
    assert histogram_of(scores) == (1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 2)


def test_mistakes_and_which_go_together() -> None:
    class_ = rows(
        a=judged("fp", ["s01", "s02"]), b=judged("fp", ["s02", "s01"]), c=judged("fp", ["s02"]), d=judged("pp")
    )
    summary = summarize(class_, TESTS, {}, META)
    assert [(mistake.mutant, mistake.learners) for mistake in summary.mistakes] == [
        ("s02", ("a", "b", "c")),
        ("s01", ("a", "b")),
    ]
    (pair,) = summary.together
    assert (pair.one, pair.other, pair.count) == ("s01", "s02", 2)
    assert pair.lift == Fraction(2, 4) / (Fraction(2, 4) * Fraction(3, 4))


def test_what_no_entry_explains_is_put_together_by_its_answers() -> None:
    alike = range(8)
    assessments = {
        "a": judged("fp", unexplained=alike, answers="bbbbbbbbaa"),
        "b": judged("fp", ["s01"], unexplained=alike, answers="bbbbbbbbaa"),
        "c": judged("fp", unexplained=range(7), answers="bbbbbbbaaa"),
        "d": judged("fp", unexplained=alike, answers="ccccccccaa"),
        "e": judged("pp"),
    }
    summary = summarize(rows(**assessments), TESTS, {}, META)
    assert [(cluster.learners, cluster.representative) for cluster in summary.clusters] == [
        (("a", "b", "c"), "c"),  # the one with the least wrong
        (("d",), "d"),
    ]
    assert (summary.clusters[0].calls, summary.clusters[0].shared) == (7, 7)
    assert all(row.assessment is None or row.assessment.answers == () for row in summary.rows)


def test_likeness_is_the_share_in_common() -> None:
    one, other = (signature_of(judged("fp", unexplained=some, answers="b" * 10)) for some in (range(4), range(2, 6)))
    assert likeness(one, other) == Fraction(2, 6)
    assert likeness(one, one) == 1
    assert clusters_of({}, {}) == ()


def test_whoever_needs_a_person_is_listed_with_the_reason() -> None:
    failed = Assessment("x", "sha", 0, -1, Standing.INTERNAL, "the grader died")
    refused = Assessment("x", "", 0, -1, Standing.UNGRADABLE, "is empty")
    class_ = [
        *rows(a=judged("pt"), b=None, c=failed, d=refused),
        Row("e", place="e.py", assessment=judged("pp"), score=Fraction(1), rostered=False),
        Row("f", assessment=judged("pp"), score=Fraction(1), fault="the grader died"),
    ]
    summary = summarize(class_, TESTS, {}, META)
    assert [(need.id, need.concern, need.why) for need in summary.needs_human] == [
        ("c", Concern.INTERNAL, "the grader died"),
        ("f", Concern.INTERNAL, "an earlier result stands: the grader died"),
        ("a", Concern.STOPPED, "timed_out"),
        ("d", Concern.UNGRADABLE, "is empty"),
        ("b", Concern.MISSING, ""),
        ("e", Concern.EXTRA, "e.py"),
    ]
    assert {row.id: row.score for row in summary.rows}["d"] == 0
    assert {row.id: row.score for row in summary.rows}["c"] is None


def test_the_exit_code_is_the_graders_alone() -> None:
    failed = Assessment("x", "sha", 0, -1, Standing.INTERNAL)
    everything = list(rows(a=judged("pp"), b=judged("ff"), c=judged("tt"), d=None))
    assert code_of(everything) is ExitCode.KEPT
    assert code_of([*everything, *rows(e=failed)]) is ExitCode.INTERNAL
    assert code_of(rows(d=None)) is ExitCode.NO_VERDICT


@pytest.mark.parametrize(
    ("outcomes", "code"), [("pp", ExitCode.KEPT), ("pf", ExitCode.BROKEN), ("pt", ExitCode.BROKEN)]
)
def test_what_only_looks_like_a_class_passes_where_all_of_it_passed(outcomes: str, code: ExitCode) -> None:
    summary = summarize(rows(a=judged("pp"), b=judged(outcomes)), TESTS, {}, META)
    assert code_for(summary, certain=False) is code
    assert code_for(summary, certain=True) is ExitCode.KEPT


def test_the_page_says_what_stands_out() -> None:
    class_ = rows(
        a=judged("fp", ["s01"]), b=judged("fp", ["s01"]), c=judged("pp"), d=judged("fp", unexplained=[1], answers="bb")
    )
    page = class_page(summarize(class_, TESTS, {}, META), ["notes.txt"], 100, False)
    for words in ("3 of 4   75.0%", "s01", "mean 62.5%, median 50.0%", "alone, 1 calls", "notes.txt: neither Python"):
        assert words in page, page
    assert page.splitlines()[-1] == "GRADED  4 of 4 submissions have a verdict"


def test_the_bar_says_how_fast_and_how_long() -> None:
    assert class_pace(0, 3.0, 10) == "3 s so far"
    assert class_pace(10, 5.0, 60) == "2.0/s, 30 s left"
    assert class_pace(10, 10.0, 150) == "1.0/s, 2:30 min left"
    assert class_pace(10, 20.0, 3600) == "0.5/s, 2:00 h left"
