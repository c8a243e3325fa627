"""Judged submissions as JUnit's suites: one for its learner, or a whole class for the staff."""

from acidtest.mutants.model import Outcome, Trial
from acidtest.reports.class_summary import ClassSummary, Row
from acidtest.reports.feedback import Feedback, Remark
from acidtest.reports.grading import Assessment, Standing
from acidtest.reports.render.junit_xml import Case, Ended, Suite, junit_xml

_ENDED = {Outcome.PASSED: Ended.PASSED, Outcome.FAILED: Ended.FAILED, Outcome.SKIPPED: Ended.SKIPPED}
_PLACE = "acidtest.grade"
_WORDS = {Ended.FAILED: "does not hold", Ended.SKIPPED: "skipped", Ended.ERROR: "no verdict"}


def grade_junit(feedback: Feedback) -> str:
    """Return one submission's document, of what its learner may read."""
    cases = tuple(_remarked(remark) for remark in feedback.remarks)
    if not cases:
        words = feedback.why or feedback.headline
        cases = (Case("handed in", _PLACE, Ended.ERROR, words, str(feedback.standing), feedback.headline),)
    return junit_xml("acidtest grade", [Suite(feedback.name, cases)])


def class_junit(summary: ClassSummary) -> str:
    """Return a class's document, for the staff: a suite for everybody who handed something in."""
    suites = [_suite(row, row.assessment) for row in summary.rows if row.assessment is not None]
    return junit_xml(f"acidtest grade {summary.meta.title}", suites)


def _remarked(remark: Remark) -> Case:
    ended = _ENDED.get(remark.outcome, Ended.ERROR)
    message = remark.what or remark.checks or _WORDS.get(ended, "")
    text = "" if remark.passed else "\n\n".join(remark.lines())
    return Case(remark.test, _PLACE, ended, message, str(remark.outcome), text, remark.seconds)


def _suite(row: Row, assessment: Assessment) -> Suite:
    if not assessment.trials:
        kind = "grader failed" if assessment.standing is Standing.INTERNAL else str(assessment.standing)
        return Suite(row.id, (Case("handed in", row.id, Ended.ERROR, assessment.why or kind, kind),))
    return Suite(row.id, tuple(_tried(row.id, trial) for trial in assessment.trials))


def _tried(place: str, trial: Trial) -> Case:
    ended = _ENDED.get(trial.outcome, Ended.ERROR)
    name = trial.test.rpartition("::")[2]
    return Case(
        name, place, ended, trial.reason or _WORDS.get(ended, ""), str(trial.outcome), trial.detail, trial.seconds
    )
