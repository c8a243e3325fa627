"""What a GitHub Classroom runner reports: JSON that goes, in base64, into an environment variable of the reporter.

The reporter adds up the scores of all tests in floating point. So that full marks come out as full marks, the points
are an entry of their own, and the tests carry none.
"""

import base64
import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from acidtest.mutants.model import Outcome
from acidtest.reports.feedback import Feedback, Remark
from acidtest.reports.grading import Standing
from acidtest.reports.render.fields import block, line

_STATUSES = {Outcome.PASSED: "pass", Outcome.FAILED: "fail"}
_OVERALL = {Standing.PASSED: "pass", Standing.FAILED: "fail", Standing.UNGRADABLE: "fail"}


def classroom_document(feedback: Feedback, points: Fraction = Fraction(100)) -> dict[str, Any]:
    """Return the document; where the grader failed it has status `error` and no points, so that none are reported.

    Args:
        points: what full marks are worth.
    """
    if feedback.share is None:
        entry = _entry("the grader", "error", 0, feedback.headline, 0.0)
        return {"version": 1, "status": "error", "max_score": 0, "tests": [entry]}
    scored = feedback.share * points
    words = "\n".join(filter(None, (feedback.headline, feedback.why)))
    full = "pass" if feedback.share == 1 else "fail"
    total = _entry(f"points, {feedback.scheme}", full, _number(scored), words, feedback.seconds)
    return {
        "version": 1,
        "status": _OVERALL.get(feedback.standing, "error"),
        "max_score": _number(points),
        "tests": [*map(_test, feedback.remarks), total],
    }


def classroom_result(document: Mapping[str, Any]) -> str:
    """Return a document as the reporter's environment variable takes it."""
    return base64.b64encode(json.dumps(document).encode()).decode("ascii")


def _test(remark: Remark) -> dict[str, Any]:
    message = "" if remark.passed else "\n".join(remark.lines())
    return _entry(remark.test, _STATUSES.get(remark.outcome, "error"), 0, message, remark.seconds)


def _entry(name: str, status: str, score: float, message: str, seconds: float) -> dict[str, Any]:
    return {
        "name": _inert(line(name, 300)),
        "status": status,
        "score": score,
        "message": _inert(block(message)),
        "test_code": "",
        "filename": "",
        "line_no": 0,
        "execution_time": f"{seconds:.3f}s",
    }


def _inert(text: str) -> str:
    """Return text that the runner's log takes for text: what begins with these marks would be a command."""
    return text.replace("::", ": :").replace("##[", "## [")


def _number(value: Fraction) -> float:
    rounded = round(float(value), 2)
    return int(rounded) if rounded.is_integer() else rounded
