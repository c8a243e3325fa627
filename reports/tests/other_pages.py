"""Gaps, measures and indexes for the tests of their pages: one with everything, one with nothing, a hostile one."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path

from acidtest.mutants.model import Finding, Mode, Status, Witness
from acidtest.mutants.witness import Judgement
from acidtest.reports.digest import Count, Digest
from acidtest.reports.gaps import Gap, Gaps, page_of
from acidtest.reports.gaps_report import GapsReport
from acidtest.reports.kills import kills_in
from acidtest.reports.nearest import Miss, Nearest
from acidtest.reports.pasted_example import PastedExample
from acidtest.reports.run_index import Index, PageNote, Unfinished
from acidtest.reports.strength import strength
from acidtest.reports.strength_report import StrengthReport
from acidtest.reports.tests import page_runs, test_strength
from acidtest.reports.tests.hand_made import matrix, mutant, run_of

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
BAD = page_runs.HOSTILE


def gaps_report() -> GapsReport:
    """Return three gaps of different kinds, one without a test; and survivors that are equal, undecided, unjudged."""
    first = replace(page_runs.gaps().gaps[0], example=PastedExample(
        Path("/home/me/demo/tests/test_gate.py"), "test_accept", "@example(u=0.1, r=0.1)",
        ("from hypothesis import example",),
    ))  # fmt: skip
    witness = Witness("accept", {"u": 0.3, "r": 0.30000000000000004}, "True", "False")
    found = Finding("distinct", witness, 9, "0123", 0.2, size=4321)
    call = {"u": 0.25, "r": 0.5}
    others = Nearest(Miss.OTHER_CALLS, "tests/test_gate.py::test_b", call, "True", "True", ("u", "r"), (12, 3))
    second = Gap(
        page_runs.variant_of("demo.accept.7", "generated"), found, witness,
        Judgement("bit-wrong", "bit-wrong: one unit in the last place", ""), others, None,
        "it fails on the wheat slow: assert True == False",
    )  # fmt: skip
    third = Gap(
        page_runs.variant_of(mutant("s08")), found, witness,
        Judgement("", "severity undecided: no end within 30 s", ""), Nearest(Miss.NONE),
        replace(first.test, name="test_s08", text=first.test.text.replace("s05", "s08")) if first.test else None,
    )  # fmt: skip
    equal = Finding("equal on D", None, 4321, "0123", 0.1, size=4321)
    open_one = Finding("undecided", None, 12, "0123", 30.0, "no end within 30 s", 4321)
    gaps = Gaps(
        (second, third, first),
        ((page_runs.variant_of("demo.accept.2", "generated"), equal),),
        ((page_runs.variant_of(mutant("s09")), open_one),),
        (("s06", Status.TIMED_OUT),),
        3,
    )
    run = page_runs.everything().summary.run
    return GapsReport(gaps, run, 7, START.isoformat(), Path("/home/me/demo"), "tests", page_of(gaps.tests))


def no_gaps() -> GapsReport:
    """Return what is left where no mutant survived."""
    run = page_runs.green().summary.run
    return GapsReport(Gaps(()), run, 3, START.isoformat(), Path("/home/me/demo"), "tests")


def hostile_gaps() -> GapsReport:
    """Return gaps with hostile text wherever text comes from outside."""
    report = page_runs.hostile()
    assert report.gaps is not None
    (gap,) = report.gaps.gaps
    seen = Nearest(Miss.OTHER_CALLS, BAD, {BAD: BAD}, BAD, BAD, (BAD,), (1, 1))
    example = PastedExample(Path("/home") / BAD.replace("\x00", ""), BAD, BAD, (BAD,))
    gap = replace(gap, nearest=seen, example=example, told=Judgement(BAD, BAD, BAD))
    lost = Finding("undecided", None, 1, BAD, 0.1, BAD)
    gaps = Gaps((gap, gap), ((gap.variant, lost),), ((gap.variant, lost),), ((BAD, Status.CRASHED),))
    return GapsReport(gaps, report.summary.run, 7, BAD, Path("/" + BAD.replace("\x00", "")), BAD, BAD, BAD)


def strength_report() -> StrengthReport:
    """Return measures with evidence of every kind."""
    run = run_of(test_strength.drawn(**test_strength.ROWS))
    return StrengthReport(test_strength.measured(), run, "/home/me/demo", "tests")


def no_strength() -> StrengthReport:
    """Return the measures of a suite that was tried on nothing."""
    found = matrix("ab")
    kills = strength(found, kills_in(found))
    return StrengthReport(kills, run_of(found), "/home/me/demo", "tests")


def hostile_strength() -> StrengthReport:
    """Return measures with hostile text wherever text comes from outside."""
    report = page_runs.hostile()
    assert report.strength is not None
    return StrengthReport(report.strength, report.summary.run, BAD, BAD)


def digest(number: int, killed: int = 45, valid: int = 46, made: int | None = 198, **changes: object) -> Digest:
    """Return the digest of one run a day."""
    start = START + timedelta(days=number)
    fields: dict[str, object] = {
        "id": number,
        "started": start.isoformat(),
        "finished": (start + timedelta(seconds=40)).isoformat(),
        "workload": "/home/me/demo",
        "suite": "tests",
        "seed": number % 3,
        "mode": Mode.MATRIX,
        "seconds": 41.25,
        "tests": 19,
        "catalog": Count(killed, valid, valid - killed, 0, Fraction(killed, valid)),
        "made": None if made is None else Count(made, 200, 200 - made, 0, Fraction(made, 200)),
        "headline": "Every promise kept" if killed == valid else "Broken promise: s02",
        "tone": "good" if killed == valid else "bad",
        "kept": killed,
        "promised": valid,
    }
    return Digest(**{**fields, **changes})  # type: ignore[arg-type]  # the fields are listed above


def index() -> Index:
    """Return runs of two suites: better, worse, without a score, of a part, of a measure, and one not finished."""
    none = Count(0, 46, 0, 46, None, "a control misbehaved: canary")
    runs = (
        digest(1, 40, made=None),
        digest(2, 42, made=170),
        digest(3, 1, 1, None, whole=False),
        digest(4, 43, made=180),
        digest(5, catalog=none, made=None, headline="No verdict: a control misbehaved", tone="bad", kept=0,
               problems=("the control canary survived",)),
        digest(6, 46, made=200, suite="mine", kept=None, promised=None),
        digest(7, 44, made=190),
        digest(8, 44, made=None, asked=False, kept=None, promised=None,
               headline="2 mutants alive"),
        digest(9, 45, made=198),
    )  # fmt: skip
    written = START.isoformat()
    pages = (PageNote("run.html", written, 9), PageNote("gaps.html", written, 7), PageNote("strength.html", written))
    later = Unfinished(10, (START + timedelta(days=30)).isoformat(), 123)
    return Index("/home/me/demo/.acidtest", runs, (later,), 19, 3, pages)


def hostile_index() -> Index:
    """Return runs with hostile text wherever text comes from outside."""
    count = Count(1, 2, 1, 0, None, BAD)
    bad = [
        digest(number, workload=BAD, suite=BAD, headline=BAD, problems=(BAD,), catalog=count, started=BAD, tone="bad")
        for number in (1, 2)
    ]
    scored = [digest(number, workload=BAD, suite=BAD, headline=BAD, started=BAD) for number in (3, 4)]
    pages = (PageNote("run.html", BAD, None, BAD), PageNote(f"{BAD}.html", BAD))
    return Index(BAD, (*scored, *bad), (Unfinished(5, BAD, 1, BAD),), 0, 0, pages)
