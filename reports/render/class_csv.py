"""The grade book as CSV: a line for each learner, harmless in a spreadsheet."""

import csv
import io

from acidtest.mutants.model import Outcome
from acidtest.reports.class_summary import ClassSummary, Row
from acidtest.reports.render.fields import line

COLUMNS = ("id", "name", "standing", "score", "passed", "of", "mistakes", "note")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 - some programs take full width too
_MISSING = "missing"


def grades_csv(summary: ClassSummary) -> str:
    """Return the grade book, by id.

    A score is a share of all points, 0 to 1, under the class's scheme; empty where there is none. Lines end in CR LF.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for row in summary.rows:
        writer.writerow([cell(value) for value in _values(row)])
    return text.getvalue()


def cell(value: str) -> str:
    """Return a text on one line, and behind an apostrophe where a spreadsheet would take it for a formula."""
    plain = line(value, None)
    quoted = value.lstrip(" ").startswith(_FORMULA) or plain.lstrip().startswith(_FORMULA)
    return f"'{plain}" if quoted else plain


def note_of(row: Row) -> str:
    """Return what else there is to know of a result, in a few words."""
    assessment = row.assessment
    if assessment is None:
        return "handed in nothing"
    notes = []
    if row.fault:
        notes.append(f"the grader failed, an earlier result stands: {row.fault}")
    if assessment.why:
        notes.append(assessment.why)
    stopped = sum(trial.outcome not in (Outcome.PASSED, Outcome.FAILED) for trial in assessment.trials)
    if stopped:
        notes.append(f"{stopped} without a verdict")
    diagnosis = assessment.diagnosis
    if diagnosis is not None and diagnosis.unfinished:
        notes.append(f"not written yet: {' '.join(diagnosis.unfinished)}")
    if diagnosis is not None and diagnosis.unexplained:
        notes.append(f"{len(diagnosis.unexplained)} wrong answers that no mistake of the catalog explains")
    if not row.rostered:
        notes.append("not on the roster")
    if row.retried:
        notes.append("tried twice")
    return "; ".join(notes)


def _values(row: Row) -> tuple[str, ...]:
    assessment = row.assessment
    if assessment is None:
        return row.id, row.name, _MISSING, "", "", "", "", note_of(row)
    score = "" if row.score is None else f"{float(row.score):.6f}".rstrip("0").rstrip(".")
    total = str(len(assessment.trials)) if assessment.trials else ""
    passed = str(assessment.passed) if assessment.trials else ""
    named = " ".join(assessment.diagnosis.named) if assessment.diagnosis is not None else ""
    return row.id, row.name, str(assessment.standing), score, passed, total, named, note_of(row)
