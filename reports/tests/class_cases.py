"""Judged submissions and classes written by hand, for tests of the files that grading leaves for others."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache

from acidtest.mutants.model import Mutant, Outcome, Test, Trial
from acidtest.reports.class_counts import summarize
from acidtest.reports.class_summary import ClassSummary, Meta, Move, Row, score_of
from acidtest.reports.diagnosis import Diagnosis, Match, Verdict
from acidtest.reports.feedback import Feedback, feedback_of
from acidtest.reports.grading import Assessment, Scheme, Standing, scores_of, seed_of, standing_of
from acidtest.reports.hints import Ladder, Question, Rungs
from acidtest.reports.symptoms import FormFault
from acidtest.reports.tests.hand_made import mutant

OUTCOMES = {
    "P": Outcome.PASSED,
    "F": Outcome.FAILED,
    "T": Outcome.TIMED_OUT,
    "C": Outcome.CRASHED,
    "U": Outcome.UNDECIDED,
    "S": Outcome.SKIPPED,
}
REASONS = {"F": "assertion", "T": "no answer within 2.0 s", "C": "guest ended: exit status 0", "U": "Unsatisfiable"}
EXPECTED = "0.15625 == 0.8125"
"""What a failed test's message says: a value that no learner may read."""
TESTS = tuple(
    Test(
        f"properties/test_gate.py::test_{name}",
        f"test_{name}",
        "unit",
        chapter=True,
        checks=checks,
        matters=f"Where {name} is wrong, the output has another law.",
    )
    for name, checks in (
        ("keeps", "A draft is kept where `u < p/q`."),
        ("refuses", "A draft without mass is refused."),
        ("draws", "A replacement has the residual's law."),
        ("counts", "Tries are counted from 1."),
    )
)
MUTANTS = (
    mutant("s01", title="accepts on equality"),
    mutant("s02", title="turns the ratio upside down", pitfall=2),
    mutant("s03", title="subtracts p from q", pitfall=None),
)
CALLS: tuple[Question, ...] = tuple(
    {"module": "demo.gate", "function": "accept", "args": {"p_x": 0.25, "q_x": 0.5, "u": u / 8}} for u in range(8)
)
LADDER = Ladder(
    tests={test.name: Rungs(("accept",), f"Think of {test.name}.", "2.2", "ties and zeros") for test in TESTS}
)

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "]]></failure><testcase/>",
    "\x1b[2J\x1b]0;owned\x07",
    "\u202egnp.exe\u2066",
    "NUL\x00 and BEL\x07 and DEL\x7f and NEL\x85",
    "half \ud83d of a pair, \udcff",
    "not a character: \ufffe \uffff \ufdd0",
    '=HYPERLINK("http://evil","click")',
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "\t=1+1",
    "-2+3",
    "\uff0b1",
    "a,b;c\"d'e\r\nf\rg\nh\u2028i",
    "{{ 7*7 }} {% raw %} ${x} `whoami`",
    "::error::file=x\n::add-mask::y",
    "&lt;&amp;&#0;",
    "very long " * 3000,
    "..\\..\\/etc/passwd",
    "",
)


def trials_of(letters: str, reason: str | None = None, detail: str = EXPECTED) -> tuple[Trial, ...]:
    """Return a trial for each of ``TESTS``, from letters: ``PFTC``."""
    return tuple(
        Trial(
            "submission",
            test.id,
            OUTCOMES[letter],
            REASONS.get(letter, "") if reason is None else reason,
            detail if letter == "F" else "",
            0.125,
        )
        for test, letter in zip(TESTS, letters, strict=True)
    )


def assessed(
    name: str, letters: str, named: Sequence[str] = (), unexplained: Sequence[int] = (), answer: str = "False"
) -> Assessment:
    """Return a submission that was judged.

    Args:
        letters: one for each test. named: what the diagnosis says. unexplained: calls answered with ``answer``.
    """
    trials = trials_of(letters)
    wrong = tuple(sorted({*range(2 * len(named)), *unexplained}))
    verdict = Verdict.RIGHT if not wrong else Verdict.PARTLY if unexplained and named else Verdict.EXPLAINED
    diagnosis = Diagnosis(
        verdict if named or not unexplained else Verdict.UNEXPLAINED,
        tuple(Match(mutant, ("accept",), 6, 5) for mutant in named),
        asked=8,
        answered=8,
        wrong=wrong,
        explained=len(wrong) - len(unexplained),
        compound=0,
        unexplained=tuple(unexplained),
        symptoms=(("accept", "answers with the other flag", len(unexplained)),) if unexplained else (),
    )
    digest = f"{sum(map(ord, name)):064x}"
    return Assessment(
        name,
        digest,
        seed_of("hw1", digest),
        1,
        standing_of(trials),
        trials=trials,
        answers=tuple(answer if call in unexplained else "True" for call in range(8)),
        diagnosis=diagnosis,
        scores=scores_of(trials, {1: frozenset({TESTS[0].id, TESTS[1].id}), 2: frozenset({TESTS[2].id})}),
        seconds=1.5,
        split={"start": 0.25, "tests": 1.0},
    )


def refused(name: str, why: str) -> Assessment:
    """Return a submission that cannot be graded."""
    return Assessment(name, "", 0, -1, Standing.UNGRADABLE, why)


def broken_grader(name: str, why: str) -> Assessment:
    """Return a submission on which the grader failed."""
    return Assessment(name, f"{5:064x}", 3, 1, Standing.INTERNAL, why)


def told(assessment: Assessment, attempt: int = 1, scheme: Scheme = Scheme.BY_TEST) -> Feedback:
    """Return what the learner may read."""
    return feedback_of(assessment, TESTS, LADDER, CALLS, attempt, scheme)


@cache
def everyday(scheme: Scheme = Scheme.BY_TEST) -> ClassSummary:
    """Return a class with everything that can happen to a learner."""
    late = replace(assessed("hal.py", "PPTP"), split={})
    submissions = {
        "ada": assessed("ada.py", "PPPP"),
        "ben": assessed("ben.py", "FFPP", ["s01", "s02"]),
        "cat": assessed("cat.py", "FFPP", ["s01", "s02"]),
        "dan": assessed("dan.py", "FPPP", ["s01"]),
        "eve": assessed("eve.py", "FPFP", [], range(1, 7)),
        "fay": assessed("fay.py", "FPFP", ["s03"], range(1, 7)),
        "gus": assessed("gus.py", "PFPC", [], range(3, 8), "raises ValueError"),
        "hal": late,
        "ivy": refused("ivy.py", "ivy.py: is empty; did you save your file?"),
        "jon": None,
        "kit": broken_grader("kit.py", "the grader's process ended: exit status 1"),
        "lee": assessed("lee.zip", "FFFF", ["s01", "s03"]),
    }
    rows = []
    for name, assessment in submissions.items():
        row = Row(name, f"{name.title()} O'Hara", assessment.name if assessment else "", assessment, attempts=1)
        row = replace(row, score=score_of(assessment, scheme), retried=name == "hal", rostered=name != "lee")
        rows.append(replace(row, fault="no answer from the grader") if name == "lee" else row)
    moves = [
        Move("dan", Fraction(1, 2), Fraction(3, 4), ("the submission", "test_counts passes")),
        Move("kit", None, None, ("numpy 2.0 → 2.1",)),
    ]
    return summarize(rows, TESTS, {one.id: one for one in MUTANTS}, meta_of(scheme), moves)


def meta_of(scheme: Scheme, **changes: object) -> Meta:
    """Return how a class was graded."""
    fields = {
        "title": "handed_in",
        "salt": "hw1",
        "scheme": scheme,
        "key": "00ff" * 16,
        "versions": {"python": "3.11.7", "acidtest": "0.1.0", "numpy": "2.1.0"},
        "tier": 1,
        "jobs": 2,
        "judged": 9,
        "kept": 1,
        "seconds": 12.5,
    }
    return Meta(**{**fields, **changes})  # type: ignore[arg-type]  # the fields are listed above


def empty() -> ClassSummary:
    """Return a class of which nobody has handed in anything."""
    return summarize([Row("ada", "Ada"), Row("ben", "Ben")], (), {}, meta_of(Scheme.BY_TEST, tier=-1, judged=0))


def hostile_submission(text: str) -> Assessment:
    """Return a judged submission in which everything that a submission can choose is ``text``."""
    trials = trials_of("FTCU", reason=text, detail=text)
    base = assessed("a.py", "FTCU", ["s01"], range(3, 8), text)
    assert base.diagnosis is not None
    diagnosis = replace(
        base.diagnosis,
        symptoms=(("accept", text, 5),),
        broken=(("accept", text),),
        forms=(FormFault("accept", text, 3),),
    )
    return replace(base, name=text, trials=trials, diagnosis=diagnosis, why=text)


def hostile(texts: Sequence[str] = HOSTILE) -> ClassSummary:
    """Return a class in which every text from outside is hostile."""
    rows: list[Row] = []
    for number, text in enumerate(texts):
        judged = hostile_submission(text)
        rows += [
            Row(f"{text}{number}a", assessment=judged, score=score_of(judged, Scheme.BY_TEST), fault=text),
            Row(f"{text}{number}b", assessment=refused(text, text), score=Fraction(0)),
            Row(f"{text}{number}c", assessment=broken_grader(text, text)),
            Row(f"{text}{number}d"),
        ]
        rows[-4:] = [replace(row, name=text, place=text, rostered=False, attempts=2) for row in rows[-4:]]
    mutants: list[Mutant] = [replace(one, title=texts[at % len(texts)]) for at, one in enumerate(MUTANTS)]
    moves = [Move(row.id, None, row.score, (texts[at % len(texts)],)) for at, row in enumerate(rows)]
    tests = [replace(test, checks=texts[at], matters=texts[at]) for at, test in enumerate(TESTS)]
    meta = meta_of(Scheme.BY_TEST, title="".join(texts), salt="".join(texts))
    return summarize(rows, tests, {one.id: one for one in mutants}, meta, moves)
