"""What a learner may read of a judged submission, in whichever form it reaches them. Pure functions of frozen data.

Nothing of it holds an expected value, the id of a mutant, or a word of a test beyond its name and its docstring.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from acidtest.mutants.model import Outcome, Test, Trial
from acidtest.reports.grading import MEANINGS, Assessment, Scheme, Standing

if TYPE_CHECKING:
    from acidtest.reports.hints import Ladder, Question

_FAULT = "The grader itself failed. This is not your doing: no score was given, and no attempt is spent."
_STOPPED = {
    Outcome.TIMED_OUT: "It ran out of time.",
    Outcome.CRASHED: "The process that ran your code ended, or was ended, before it had answered.",
    Outcome.SKIPPED: "It was skipped.",
}
_UNDECIDED = "It came to no verdict."


@dataclass(frozen=True, slots=True)
class Remark:
    """What became of one test, for the learner.

    Attributes:
        checks, matters: the first words of its docstring, and why it matters.
        hints: of this attempt, where it failed. what: what happened, where it neither passed nor failed.
    """

    test: str
    outcome: Outcome
    checks: str = ""
    matters: str = ""
    hints: tuple[str, ...] = ()
    what: str = ""
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Return whether it passed."""
        return self.outcome is Outcome.PASSED

    def advice(self) -> tuple[str, ...]:
        """Return all that there is to read but what the test checks, a paragraph each."""
        matters = f"Why it matters: {self.matters}" if self.matters else ""
        return tuple(filter(None, [matters, self.what, *(f"Hint: {hint}" for hint in self.hints)]))

    def lines(self) -> tuple[str, ...]:
        """Return all that there is to read, a paragraph each."""
        return (self.checks, *self.advice()) if self.checks else self.advice()


@dataclass(frozen=True, slots=True)
class Feedback:
    """What became of a submission, for the learner.

    Attributes:
        scheme: how points are given. share: of all points; None where the grader failed.
            What cannot be graded has 0.
        headline: the verdict in a sentence. why: what was refused and what to do, where there is nothing to judge.
        remarks: one for each test, in the tests' order.
    """

    name: str
    standing: Standing
    scheme: Scheme
    share: Fraction | None
    headline: str
    why: str = ""
    remarks: tuple[Remark, ...] = ()
    seconds: float = 0.0


def feedback_of(
    assessment: Assessment,
    tests: Sequence[Test],
    ladder: "Ladder",
    calls: "Sequence[Question]",
    attempt: int = 1,
    scheme: Scheme = Scheme.BY_TEST,
) -> Feedback:
    """Return what the learner may read.

    Args:
        tests: at least those that the assessment has trials of.
        calls: the battery, which hints choose from. attempt: from 1; each adds a hint to every failed test.
    """
    by_id = {test.id: test for test in tests}
    wrong = assessment.diagnosis.wrong if assessment.diagnosis is not None else ()
    remarks = []
    for trial in assessment.trials:
        test = by_id[trial.test]
        hints: tuple[str, ...] = ()
        if trial.outcome is Outcome.FAILED:
            hints = ladder.up_to(test.name, attempt, ladder.telling_call(test.name, calls, wrong))
        remarks.append(Remark(test.name, trial.outcome, test.checks, test.matters, hints, _what(trial), trial.seconds))
    internal = assessment.standing is Standing.INTERNAL
    return Feedback(
        assessment.name,
        assessment.standing,
        scheme,
        None if internal else assessment.scores.get(scheme, Fraction(0)),
        headline_of(assessment),
        assessment.why if assessment.standing is Standing.UNGRADABLE else "",
        tuple(remarks),
        assessment.seconds,
    )


def headline_of(assessment: Assessment) -> str:
    """Return the verdict in a sentence, without the reason for a fault of the grader."""
    if assessment.standing is Standing.INTERNAL:
        return _FAULT
    if not assessment.trials:
        return f"Nothing was judged: {MEANINGS[assessment.standing].partition(': ')[2]}."
    total = len(assessment.trials)
    if assessment.passed == total:
        return f"All {total} tests passed."
    return f"{assessment.passed} of {total} tests passed."


def _what(trial: Trial) -> str:
    """Return what happened in a test that neither passed nor failed; what was seen of it is the learner's own code."""
    if trial.outcome in (Outcome.PASSED, Outcome.FAILED):
        return ""
    words = _STOPPED.get(trial.outcome, _UNDECIDED)
    return f"{words} ({trial.reason})" if trial.reason else words
