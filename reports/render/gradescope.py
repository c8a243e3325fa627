"""Gradescope's `results.json` for one submission: what its autograder reads from `/autograder/results`."""

from fractions import Fraction
from typing import Any

from acidtest.reports.feedback import Feedback, Remark
from acidtest.reports.grading import Scheme
from acidtest.reports.render.fields import block, line

_STAFF = 20_000


def gradescope_document(feedback: Feedback, points: Fraction = Fraction(100), staff: str = "") -> dict[str, Any] | None:
    """Return the document; None where the grader failed: without the file, Gradescope gives no score at all.

    Args:
        points: what full marks are worth. Where tests are worth points by themselves, each has its share.
        staff: what only the staff may read, if they are to find it there. It becomes a hidden test, and where a test
            is hidden, Gradescope does not show learners their total.
    """
    if feedback.share is None:
        return None
    worth = points / len(feedback.remarks) if feedback.scheme is Scheme.BY_TEST and feedback.remarks else None
    tests = [_test(remark, worth) for remark in feedback.remarks]
    if staff:
        tests.append({"name": "For the staff", "output": block(staff, _STAFF), "visibility": "hidden"})
    return {
        "score": _number(feedback.share * points),
        "execution_time": round(feedback.seconds, 2),
        "output": block("\n".join(filter(None, (feedback.headline, feedback.why)))),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
    }


def _test(remark: Remark, worth: Fraction | None) -> dict[str, Any]:
    score = {} if worth is None else {"score": _number(worth * remark.passed), "max_score": _number(worth)}
    return {
        "name": line(remark.test, 300),
        "status": "passed" if remark.passed else "failed",
        **score,
        "output": block("\n\n".join(remark.lines())),
        "visibility": "visible",
    }


def _number(value: Fraction) -> float:
    return round(float(value), 4)
