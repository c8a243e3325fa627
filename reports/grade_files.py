"""What grading one submission leaves for others: each format's file, of what the learner may read."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acidtest.reports.feedback import Feedback
POINTS = Fraction(100)


@dataclass(frozen=True, slots=True)
class Formats:
    """Which files were asked for.

    Attributes:
        points: what full marks are worth, where a format has points.
    """

    gradescope: Path | None = None
    junit: Path | None = None
    prairielearn: Path | None = None
    classroom: Path | None = None
    points: Fraction = POINTS

    @property
    def any(self) -> bool:
        """Return whether one was asked for."""
        return any(path is not None for path in (self.gradescope, self.junit, self.prairielearn, self.classroom))


def write_formats(formats: Formats, feedback: "Feedback", staff: str = "") -> None:
    """Write the files that were asked for.

    Where the grader failed, Gradescope's is left as it is: an earlier score stands, and none is invented.

    Args:
        staff: what only the staff may read; empty where they are not to find it in the files.

    Raises:
        UsageError: one cannot be written.
    """
    from acidtest.reports.render.classroom import classroom_document  # with all that they need, 0.2 s
    from acidtest.reports.render.grade_junit import grade_junit
    from acidtest.reports.render.gradescope import gradescope_document
    from acidtest.reports.render.prairielearn import prairielearn_document
    from acidtest.reports.run_pages import put

    if formats.gradescope is not None:
        document = gradescope_document(feedback, formats.points, staff)
        if document is not None:
            put(_json(document), formats.gradescope)
    if formats.junit is not None:
        put(grade_junit(feedback), formats.junit)
    if formats.prairielearn is not None:
        put(_json(prairielearn_document(feedback)), formats.prairielearn)
    if formats.classroom is not None:
        put(_json(classroom_document(feedback, formats.points)), formats.classroom)


def _json(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=1, allow_nan=False) + "\n"
