"""PrairieLearn's `results.json` for one submission: what an external grader leaves in `/grade/results`."""

from typing import Any

from acidtest.reports.feedback import Feedback, Remark
from acidtest.reports.grading import Standing
from acidtest.reports.render.fields import block, line


def prairielearn_document(feedback: Feedback) -> dict[str, Any]:
    """Return the document.

    What cannot be graded, and a fault of the grader, is `gradable: false`: no points either way, no attempt spent.
    The score is a share, 0 to 1, under the feedback's scheme. The points are the tests', one each.
    """
    headline = block(feedback.headline)
    if feedback.share is None or feedback.standing is Standing.UNGRADABLE:
        return {"gradable": False, "message": headline, "format_errors": [_inert(feedback.why or feedback.headline)]}
    return {
        "gradable": True,
        "score": float(feedback.share),
        "message": headline,
        "tests": [_test(remark) for remark in feedback.remarks],
    }


def _test(remark: Remark) -> dict[str, Any]:
    return {
        "name": line(remark.test, 300),
        "description": block(remark.checks),
        "points": int(remark.passed),
        "max_points": 1,
        "message": block("\n\n".join(remark.advice())),
    }


def _inert(text: str) -> str:
    """Return text that is harmless where it is taken for HTML, too: these errors may be shown as either."""
    return block(text).translate({ord("<"): "«", ord(">"): "»", ord("&"): "+"})
